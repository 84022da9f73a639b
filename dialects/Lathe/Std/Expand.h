// Expands a use of a composite to a function.
#ifndef LATHE_STD_EXPAND_H
#define LATHE_STD_EXPAND_H

#include "dialects/Lathe/Std/Template.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OwningOpRef.h"
#include <map>
#include <mutex>

namespace lathe::composites {

/// A use of a composite: its name, the types of its operands, and its options.
struct Use {
  mlir::StringAttr name;
  /// Names of the present optional operands, in the template's order; a list's name stands for each of its values.
  mlir::ArrayAttr given;
  mlir::DictionaryAttr options;
  mlir::TypeRange operands;
};

/// The function that a use calls: private, with plain types whose dynamic dimensions have names of its own in `lathe.dims`, and
/// marked by `lathe.composite`. If operands are f16 or bf16 it computes in f32 and rounds its results once.
struct Expansion {
  std::string text; // of a module with only this function; it calls the function that option `function` names as @function
  llvm::SmallVector<mlir::Type> results;
  llvm::SmallVector<std::pair<std::string, mlir::FunctionType>> calls; // of functions that options name, by the option
};

/// The expansions of one context so far. Several threads may use it.
class Expansions {
public:
  /// Returns null after a diagnostic at `location`: about the operands or options, or about the line of the template that does
  /// not accept them.
  const Expansion *get(const Use &use, mlir::Location location);

private:
  std::mutex mutex;
  std::map<std::string, Expansion> made;
};

/// Returns the function that replaces a lathe.std, with its ops at the use's location; null after a diagnostic.
mlir::OwningOpRef<mlir::func::FuncOp> expansionOf(mlir::Operation *use);

/// True if the library declares a derivative of this composite instead of deriving it from its lines.
bool hasTangent(mlir::Operation *use);
/// Returns the derivative of a use as a function for lathe.tangent; null after a diagnostic. It calls `expansion` where its
/// lines use the composite itself.
mlir::OwningOpRef<mlir::func::FuncOp> tangentOf(mlir::Operation *use, mlir::func::FuncOp expansion);

/// Replaces each lathe.std of a module by a call of a private function of its own. Returns their number, or failure after a
/// diagnostic.
mlir::FailureOr<int64_t> expandUses(mlir::ModuleOp module);

} // namespace lathe::composites

#endif
