// The scalar region of a nest, compiled to run at many points.
#ifndef LATHE_INTERPRETER_SCALARPROGRAM_H
#define LATHE_INTERPRETER_SCALARPROGRAM_H

#include "dialects/Lathe/Interpreter/Evaluate.h"
#include <functional>

namespace lathe {

/// One value of the region: floats in `real` (rounded to f32 if they are), integers in `integer`, sign extended; an i1 is 0 or
/// 1.
struct Scalar {
  double real = 0;
  int64_t integer = 0;
};

Scalar loadScalar(const Tensor &tensor, int64_t place);
void storeScalar(Tensor &tensor, int64_t place, Scalar value);

class ScalarProgram {
public:
  /// `tensorOf` returns the tensors that lathe.element reads. Fails at an unknown op.
  static mlir::FailureOr<ScalarProgram> build(mlir::Block &block, const Sizes &sizes,
                                              llvm::function_ref<const Tensor *(mlir::Value)> tensorOf);

  /// Returns the yielded scalar at a point. The inputs must have been set.
  Scalar run(const int64_t *index) {
    for (const Step &step : steps)
      step(slots.data(), index);
    return slots[result];
  }
  Scalar &input(unsigned i) { return slots[i]; }

private:
  using Step = std::function<void(Scalar *slots, const int64_t *index)>;
  friend struct ScalarProgramBuilder;
  std::vector<Scalar> slots; // the block's arguments first
  std::vector<Step> steps;
  unsigned result = 0;
};

} // namespace lathe

#endif
