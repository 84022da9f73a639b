// Halves computed in f32, unsigned integers ordered as signed ones.
#ifndef LATHE_PASSES_PROMOTE_PROMOTE_H
#define LATHE_PASSES_PROMOTE_PROMOTE_H

#include <memory>

namespace mlir {
class Pass;
}

namespace lathe {

/// `lathe-promote`. An op that computes on f16 or bf16 computes on their values as f32, and its result is rounded once: sums
/// add up in f32. Ops that only place elements keep their type. Guarantees that beside those no op but lathe.convert, from and
/// to f32 and f64, has a half among its operands and results. An op that orders elements, such as a maximum over a dimension,
/// gets unsigned integers with their top bit inverted, as signed ones. Elementwise comparisons stay. Requires inferred types.
std::unique_ptr<mlir::Pass> createPromotePass();
void registerPromotePasses();

} // namespace lathe

#endif
