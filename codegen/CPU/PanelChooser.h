// The choice of panels for the right operands of products and the filters of convolutions.
#ifndef LATHE_CODEGEN_CPU_PANELCHOOSER_H
#define LATHE_CODEGEN_CPU_PANELCHOOSER_H

#include "codegen/Points/VectorTarget.h"
#include "codegen/Schedules/Panels.h"
#include "llvm/ADT/StringMap.h"
#include <vector>

namespace lathe::cpu {

/// Chooses panels that serve all CPU targets of an object.
class PanelChooser {
public:
  explicit PanelChooser(llvm::ArrayRef<VectorTarget> targets) : targets(targets) {}
  /// Returns a chooser for the targets of a pass, or, if there are none, for those that its option names. Fails with a
  /// diagnostic at `op` if the option names none either.
  static mlir::FailureOr<PanelChooser> of(mlir::Operation *op, llvm::ArrayRef<VectorTarget> targets, llvm::StringRef option);

  /// Chooses the panels of a kernel. Returns nullopt if its code is not a product's or a convolution's on all targets, or if no
  /// operand can be in panels. Fails with a diagnostic.
  mlir::FailureOr<std::optional<PanelChoice>> choose(KernelOp kernel);

private:
  llvm::SmallVector<VectorTarget> targets;
  llvm::StringMap<std::optional<PanelChoice>> known; // by structure
};

} // namespace lathe::cpu

#endif
