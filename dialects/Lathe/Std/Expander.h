// Expands one use of a composite to a function: operands and options in Operands.cpp, lines in Lines.cpp, lines whose ops have
// regions in Regions.cpp.
#ifndef LATHE_STD_EXPANDER_H
#define LATHE_STD_EXPANDER_H

#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expand.h"
#include "dialects/Lathe/Std/Expression.h"
#include "lib/Support/TypeText.h"
#include <set>

namespace lathe::composites {

/// Returns the type without names of dimensions.
mlir::RankedTensorType plain(mlir::Type type);

class Expander {
public:
  Expander(const Use &use, mlir::Location location);

  mlir::LogicalResult run(Expansion &expansion);

private:
  const Use &use;
  mlir::Location location;
  mlir::MLIRContext *context;
  const Template &source;
  mlir::Type ownHalf;               // of the operands, if it computes in f32 instead
  mlir::Type half;                  // the type that functions in options use in place of f32
  llvm::SmallVector<int64_t> exact; // operands that they nevertheless take as f32
  std::vector<std::string> arguments;
  std::string body;
  Expansion made;
  bool returned = false;

  /// The names that a line of the template can use.
  struct Sight {
    Scope scope;
    std::map<std::string, std::string> written; // values by name; a line may redefine a name
    std::set<std::string> given;                // operands that keep the use's type, whatever types the others have
  } sight;
  std::set<std::string> names;           // all names in the text
  llvm::SmallVector<mlir::Type> yielded; // by the last region: what a step carries on, then what it collects
  size_t collected = 0;                  // the number of collected values

  mlir::InFlightDiagnostic fail() { return emitError(location) << "lathe.std." << source.name << ": "; }
  mlir::InFlightDiagnostic fail(llvm::StringRef text, int number);
  mlir::InFlightDiagnostic fail(const Line &line) { return fail(line.text, line.number); }

  mlir::LogicalResult bindHalves();
  mlir::LogicalResult bindOperands();
  mlir::LogicalResult bindOperand(const Parameter &parameter, const std::string &name, mlir::RankedTensorType type,
                                  unsigned index);
  mlir::LogicalResult bindOptions();
  mlir::FailureOr<Term> optionTerm(const Parameter &parameter, mlir::Attribute given);
  mlir::FailureOr<Term> normalised(const Parameter &parameter, Term term);

  mlir::LogicalResult expandLines(llvm::ArrayRef<Line> lines);
  mlir::LogicalResult expandChosen(const Line &line);
  mlir::LogicalResult expandLine(const Line &line);
  mlir::LogicalResult expandEach(const Line &line);
  mlir::LogicalResult expandText(const Line &line, llvm::StringRef text);
  mlir::LogicalResult expandOp(const Line &line, llvm::StringRef text);
  mlir::LogicalResult expandCall(const Line &line, llvm::StringRef left, llvm::StringRef right);
  mlir::LogicalResult expandReturn(const Line &line, llvm::StringRef text);
  mlir::FailureOr<std::string> substitute(const Line &line, llvm::StringRef text);
  std::string spliced(llvm::StringRef text);
  mlir::FailureOr<llvm::SmallVector<std::string>> valuesIn(const Line &line, llvm::StringRef text);
  std::string rewritten(llvm::StringRef text);
  mlir::FailureOr<llvm::SmallVector<mlir::Type>> typesOf(const Line &line, llvm::StringRef statement,
                                                         llvm::ArrayRef<std::string> operands, bool verified = false);
  void addCalls(StdOp inner);
  std::string halvesFor(llvm::StringRef statement, llvm::ArrayRef<std::string> operands);
  std::string fresh(llvm::StringRef name, int number);
  std::string bind(const Line &line, llvm::StringRef name, mlir::Type type);
  mlir::LogicalResult countLists(const Line &line, llvm::StringRef left, size_t count);
  mlir::LogicalResult share(const Line &line, llvm::StringRef left, llvm::StringRef right);
  mlir::LogicalResult give(const Line &line, llvm::StringRef left, llvm::StringRef statement, mlir::TypeRange types);

  mlir::LogicalResult expandRegions(const Line &line, llvm::StringRef text);
  mlir::LogicalResult expandEnd(const Line &line, llvm::StringRef text);
  struct Bindings;
  mlir::FailureOr<Bindings> takeBindings(const Line &line, llvm::StringRef &head, llvm::StringRef keyword);
};

} // namespace lathe::composites

#endif
