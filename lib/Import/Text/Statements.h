// Finds the statements of a graph's text by tokens and brackets only, so that they are known where the parser fails.
#ifndef LATHE_IMPORT_TEXT_STATEMENTS_H
#define LATHE_IMPORT_TEXT_STATEMENTS_H

#include "mlir/Support/LLVM.h"
#include <vector>

namespace lathe {

struct Token {
  enum Kind { Value, Symbol, Attribute, Label, Word, Number, String, Mark };
  Kind kind;
  size_t begin, end;
  bool isFirst; // of its line
};

/// Returns the end of a string that begins at `place`. The end of the line ends it too; the parser reports that.
size_t endOfString(llvm::StringRef text, size_t place);
/// Returns the tokens of a text without its comments. A result number belongs to its value: `%y#1`.
std::vector<Token> tokensOf(llvm::StringRef text);
/// Returns the value at a place of the text, such as "%y#1"; empty if there is none.
llvm::StringRef valueAt(llvm::StringRef text, size_t place);

/// An op with its regions: text[begin, end).
struct Statement {
  size_t begin = 0, end = 0;
  size_t headEnd = 0;                                       // where its first region opens; `end` if it has none
  int parent = -1;                                          // the statement whose region it is in
  llvm::StringRef op;                                       // "lathe.add", "return"; empty if no name is found
  llvm::StringRef symbol;                                   // the first one that it names, without '@'
  llvm::SmallVector<llvm::StringRef> names;                 // the names that it defines, as written: "%y", "%y:2"
  bool hasRegion = false, isOpened = true, isClosed = true; // false if a region lacks its '{' or '}'

  bool contains(size_t place) const { return begin <= place && place < end; }
  bool isTerminator() const;
};

/// Returns all statements, in order of their starts. Missing or superfluous brackets affect only the statement that they are
/// in: a line that begins like an op begins a statement, and a line that begins with func.func begins a function.
std::vector<Statement> statementsOf(llvm::StringRef text);

} // namespace lathe

#endif
