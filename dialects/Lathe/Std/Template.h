// The composite library: templates of functions over operand types, ranks and options, from this folder's .lathe-template
// files.
// || A template is graph text with a few additions: a signature of operands and options, `$option` and `${expression}` in its
// lines, `if` lines, and lists of values. Types are omitted if they are those of the operands, in order. See docs/std.md.
#ifndef LATHE_STD_TEMPLATE_H
#define LATHE_STD_TEMPLATE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include <optional>
#include <string>
#include <vector>

namespace lathe::composites {

/// A parameter of a template. Operands precede options.
struct Parameter {
  enum class Kind {
    Float,
    Number,
    Integer,
    Index,
    Bool,
    Any, // operands, by their elements
    Dim,
    Dims,
    Real,
    Int,
    Ints,
    Flag,
    Choice,
    Checkpoint,
    Function, // options
  };
  std::string name;
  Kind kind = Kind::Any;
  bool optional = false;              // an optional operand
  std::optional<std::string> initial; // an option's default value
  std::vector<std::string> choices;
  bool many = false; // for an optional operand: there may be several

  bool isOperand() const { return kind <= Kind::Any; }
  /// Returns "a float tensor", "one of none, tanh".
  std::string describe() const;
};

struct Section;

struct Line {
  std::string text;              // without indentation, and without a trailing brace
  int number;                    // in the file
  std::vector<Section> sections; // the blocks in braces after it
};

/// The lines of an `if` or of an op's region.
struct Section {
  std::string head; // the line before its brace, without braces: `if keep`, `else`, `do`
  int number;       // of the head
  std::vector<Line> lines;
};

struct Template {
  std::string name, file;
  std::string meaning; // Markdown
  bool moves = false;  // only moves elements: halves stay as they are
  std::vector<Parameter> parameters;
  std::vector<Line> body;

  /// Returns the option or optional operand with this name, or null.
  const Parameter *find(llvm::StringRef parameter) const;
};

/// Options of every composite that takes a function; lines of other templates set them. `half f16`: the function takes and
/// returns halves, though the operands here, with which the lines compute, are f32. `exact [2]`: but operand 2 is f32 for the
/// function, too.
inline constexpr llvm::StringLiteral kHalfOption = "half", kExactOption = "exact";

/// Returns the parts between the commas outside brackets.
llvm::SmallVector<llvm::StringRef> partsOf(llvm::StringRef list);

/// Returns all templates, by file and then in the file's order. A library that cannot be read is an error of this build.
llvm::ArrayRef<Template> library();
const Template *findTemplate(llvm::StringRef name);

/// Returns the name under which `tangent @NAME(...)` is stored: the derivative of the composite NAME. It takes the composite's
/// operands, then a list of tangents, one for each float operand. It returns the composite's results, then a tangent for each
/// float one.
inline std::string tangentName(llvm::StringRef name) { return (name + ".tangent").str(); }

} // namespace lathe::composites

#endif
