// The pipelines of the first stages, which the interpreter runs as well.
#ifndef LATHE_COMPILER_FRONT_FRONT_H
#define LATHE_COMPILER_FRONT_FRONT_H

#include <cstdint>
#include <map>
#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace lathe {

/// Adds the passes of the import stage, in order. Named dimensions in `fixed` become numbers; those in `formulas` become
/// expressions.
void buildImportPipeline(mlir::OpPassManager &passes, std::map<std::string, int64_t> fixed = {},
                         std::map<std::string, std::string> formulas = {});

/// Adds the passes of the state stage: variables become arguments and results, and the optimisers' composites plain ops. The
/// functions in `treeSums` add their micro-batches as balanced trees.
void buildStatePipeline(mlir::OpPassManager &passes, llvm::ArrayRef<std::string> treeSums = {});

/// Registers `lathe-import`, the import stage without fixed dimensions.
void registerFrontPipelines();

} // namespace lathe

#endif
