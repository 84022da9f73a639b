// Links ONNX models and StableHLO programs into graphs in text that call them.
#ifndef LATHE_IMPORT_LINKMODELS_H
#define LATHE_IMPORT_LINKMODELS_H

#include "lib/Import/ONNX/ImportOnnx.h"

namespace lathe {

/// Gives each function that is declared with `lathe.model = "net.onnx"` the body of that model, and each one with the path of a
/// StableHLO program the body of its function: the only public one, or @main. The path is relative to the folder of the graph
/// at `path`, and must stay below it. Variables that OnnxOptions::stateInitializers makes are named FUNCTION.INITIALIZER. If
/// the module `isChecked`, small operands that are the same constant at all calls become the model's and are no longer
/// arguments. Inputs of entries with values in `constants`, which may be null, become constants if a model cannot be imported
/// otherwise.
/// Emits an error if a model cannot be read, is refused, or differs from the declared type.
llvm::LogicalResult linkModels(mlir::ModuleOp module, llvm::StringRef path, llvm::SourceMgr &sources,
                               const OnnxOptions &options, ConstInputs *constants, bool isChecked);

} // namespace lathe

#endif
