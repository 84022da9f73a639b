// A use of a composite made into a function.
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

/// One use: which composite, of operands of which types, with which options.
struct Use {
  mlir::StringAttr name;
  mlir::ArrayAttr given; // names of the optional operands that are there, in the template's order, behind the others; the name
                         // of a list stands for each of its values
  mlir::DictionaryAttr options;
  mlir::TypeRange operands;
};

/// The function that a use calls: private, of plain types whose dynamic dimensions have names of its own in `lathe.dims`, with
/// `lathe.composite` as mark. Where operands are f16 or bf16 it computes in f32 and rounds its results once.
struct Expansion {
  std::string text; // of a module with only this function; it calls the function that option `function` names as @function
  llvm::SmallVector<mlir::Type> results;
  llvm::SmallVector<std::pair<std::string, mlir::FunctionType>> calls; // of functions that options name, by the option
};

/// Expansions so far, of one context; may be used by several threads.
class Expansions {
public:
  /// Null after a diagnostic at `location`: what is wrong with the operands or options, or the line of the template that does
  /// not take them.
  const Expansion *get(const Use &use, mlir::Location location);

private:
  std::mutex mutex;
  std::map<std::string, Expansion> made;
};

/// The function that takes the place of a lathe.std, its ops at the use's location; null after a diagnostic.
mlir::OwningOpRef<mlir::func::FuncOp> expansionOf(mlir::Operation *use);

/// True if the library declares a derivative of this composite instead of deriving it from its lines.
bool hasTangent(mlir::Operation *use);
/// The derivative of a use as a function, as lathe.tangent wants it; null after a diagnostic. It calls `expansion` where its
/// lines use the composite itself.
mlir::OwningOpRef<mlir::func::FuncOp> tangentOf(mlir::Operation *use, mlir::func::FuncOp expansion);

/// Replaces each lathe.std of a module by a call of a private function of its own; the number of them, or failure after a
/// diagnostic.
mlir::FailureOr<int64_t> expandUses(mlir::ModuleOp module);

} // namespace lathe::composites

#endif
