// The `${...}` of templates: arithmetic over options, and over the ranks and extents of operands.
#ifndef LATHE_STD_EXPRESSION_H
#define LATHE_STD_EXPRESSION_H

#include "dialects/Lathe/IR/Dims.h"
#include "llvm/Support/Error.h"
#include <map>
#include <variant>

namespace lathe::composites {

/// A number or extent, a real number, a list of extents, a word, or a boolean.
using Term = std::variant<Dim, double, Dims, std::string, bool>;

/// The meaning of names during the expansion of a template.
struct Scope {
  std::map<std::string, Term> options;                  // by name; true for optional operands that are given
  std::map<std::string, mlir::RankedTensorType> values; // every value so far, by its name without the sign
  std::map<std::string, Dims> extents;                  // of operands: the names of their dynamic dimensions
  std::map<std::string, size_t> lists;                  // the number of values of each: `%state...` are state_0, state_1, ...
};

/// `expr (== | != | < | <= | > | >=) expr`, `not expr`, or `expr` of
///   expr := product (('+' | '-') product)*      product := factor (('*' | '/') factor)*
///   factor := NUMBER | NAME | NAME '(' expr (',' expr)* ')' | %VALUE | '-' factor | '(' expr ')' | '[' expr ,* ']' | "TEXT"
/// with the functions
///   rank(%x)            its number of dimensions
///   extent(%x, i)       of an operand; a negative i counts from the end
///   shape(%x)           all extents of an operand
///   kept(%x, dims)      the shape with 1 in these dimensions
///   without(%x, dims)   the shape without these dimensions
///   count(%x, dims)     the product of these extents
///   others(%x, dims)    the dimensions that are not in the list
///   range(a, b)         a, a + 1, ... b - 1
///   element(%x)         its element type
///   type(l, e)          the tensor type of these extents and elements
///   is_static(i)        true if an extent is a number
///   zeros(%x), ones(%x) a list of these, one for each dimension
///   zero(%x), least(%x) the text of 0 and of the smallest element
///   floats(list, i)     the positions of the floats among a list's values; the first value is at i
///   replaced(l, i, m)   the list with entry i replaced by the entries of m
///   pairs(l)            `[a, a], [b, b]` of the list a, b
///   product(l)          of a list
///   sqrt(a), log(a)     of a number
///   when(c, "text")     the text if a flag is set or an operand given, nothing otherwise
/// Quotients of extents are exact; a remainder is an error. Words that are not names stand for themselves.
llvm::Expected<Term> evaluate(llvm::StringRef text, const Scope &scope);

/// Returns the text of a term in a line: "N * 4", "1.0e-5", "0, 1".
std::string str(const Term &term);
/// True if a flag is set, an operand is present, or a comparison holds.
bool isTrue(const Term &term);

} // namespace lathe::composites

#endif
