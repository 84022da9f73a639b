// The state of an import of one StableHLO program.
#ifndef LATHE_IMPORT_STABLEHLO_PROGRAM_H
#define LATHE_IMPORT_STABLEHLO_PROGRAM_H

#include "dialects/Lathe/IR/Dims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/ImportOptions.h"
#include "lib/Import/StableHLO/Mesh.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"
#include <map>
#include <set>

namespace lathe::hloimport {

/// The values of one function of the program where it is being imported: in an entry, or at a call.
struct Frame {
  llvm::DenseMap<mlir::Value, mlir::Value> values; // null for the results of a refused op
  int lifted = 0;                                  // bodies of reductions around what is being imported

  mlir::Value find(mlir::Value value) const { return values.lookup(value); }
};

/// An input's size that the program asserts to be a multiple of a number.
struct Multiple {
  std::string quotient; // size / divisor, a formula
  int64_t divisor;
  Dim size;
};

struct Program {
  Program(mlir::ModuleOp source, const ImportOptions &options);

  /// Returns the module of the program's public functions, or null after errors. Reports every refusal.
  mlir::OwningOpRef<mlir::ModuleOp> import();

  /// Imports the ops of a block except its last one. Returns false if one is refused.
  bool importBlock(mlir::Block &block, Frame &frame);
  /// Imports a function where the builder is. Returns its results; nothing after a refusal, of which `reason` is the text if it
  /// has not been reported.
  llvm::SmallVector<mlir::Value> inlineFunction(llvm::StringRef name, mlir::ValueRange arguments, bool isLifted,
                                                std::string &reason);

  /// True if a name is the size of an input, or in the expression of one.
  bool hasSize(const std::string &name) const;

  mlir::ModuleOp source;
  mlir::SymbolTable symbols;
  mlir::OpBuilder builder;
  mlir::ModuleOp made; // the module of the import
  const ImportOptions &options;
  const Mesh mesh;
  const Blocks blocks; // values of the source of which the import has a rank's block
  std::map<std::string, std::pair<mlir::Value, int64_t>> dimSources; // where a named dimension's size can be read
  /// Sizes of inputs that the program asserts to be others, by their generated names. If one is added, the import is repeated.
  std::map<std::string, Dim> equalSizes;
  bool isAgain = false;
  std::vector<Multiple> multiples; // of generated names, which the call of a function with a name for the quotient replaces
  std::map<std::string, DimBounds> ranges; // bounds that the program asserts of its own names
  unsigned customGradients = 0;            // functions with derivatives of their own so far
  int64_t randomOps = 0;                   // stablehlo.rng so far
  std::set<std::string> variables;         // declared so far
  std::set<std::string> statesMatched;     // patterns of options.stateArguments that some argument matches

private:
  bool importOp(mlir::Operation &op, Frame &frame);
  mlir::func::FuncOp importEntry(mlir::func::FuncOp function);
  /// Returns the types of a function's arguments, those of blocks where a rank has a block.
  llvm::SmallVector<mlir::Type> argumentTypes(mlir::func::FuncOp function);
  mlir::OwningOpRef<mlir::ModuleOp> importOnce();
  mlir::LogicalResult checkStates();
  void declareRanges();
  /// Reports that an op cannot be imported. An op that is imported several times is reported once.
  void report(mlir::Operation &op, const llvm::Twine &reason);

  llvm::SmallVector<llvm::StringRef> calls; // functions that are being imported, outermost first
  llvm::DenseSet<mlir::Operation *> reported;
  int64_t opsLeft;
};

} // namespace lathe::hloimport

#endif
