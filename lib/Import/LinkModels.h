// Graphs in text that call ONNX models.
#ifndef LATHE_IMPORT_LINKMODELS_H
#define LATHE_IMPORT_LINKMODELS_H

#include "lib/Import/ONNX/ImportOnnx.h"

namespace lathe {

/// Gives each function that is declared with `lathe.model = "net.onnx"` the body of that model, whose path is relative to the
/// folder of the graph at `path`, below it. Variables that OnnxOptions::stateInitializers makes are called
/// FUNCTION.INITIALIZER. Small operands that are one constant at all calls are the model's, and arguments no more; only where
/// the module has been checked. Inputs of entries that `constants` has values for become such where a model cannot be imported
/// otherwise; it may be null. Told, and failure, where a model cannot be read, is refused or is not of the type that is
/// declared.
llvm::LogicalResult linkModels(mlir::ModuleOp module, llvm::StringRef path, llvm::SourceMgr &sources,
                               const OnnxOptions &options, ConstInputs *constants, bool isChecked);

} // namespace lathe

#endif
