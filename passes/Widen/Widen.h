// A graph in double precision: what derivatives are held against differences in.
#ifndef LATHE_PASSES_WIDEN_WIDEN_H
#define LATHE_PASSES_WIDEN_WIDEN_H

#include <memory>

namespace mlir {
class Pass;
}

namespace lathe {

/// `lathe-widen`. Makes every f32 of the module an f64: types, constants, initialisers and the targets of conversions. Numbers
/// keep their values, so that a constant which f32 rounded stays rounded. May run anywhere before fusion.
std::unique_ptr<mlir::Pass> createWidenPass();
void registerWidenPasses();

} // namespace lathe

#endif
