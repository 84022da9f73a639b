#include "codegen/CPU/Tiles/Steps.h"
#include "codegen/CPU/Tuning.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

ProductSteps ProductSteps::of(unsigned multiplyAdds, int64_t multiple) {
  int64_t fitting = std::max<int64_t>(tuning::kMultiplyAddsAtOnce / multiplyAdds, 1);
  unsigned together = llvm::bit_floor(uint64_t(std::min(fitting, tuning::kProductsAtOnce)));
  return {together, multiple % together != 0};
}

std::string ProductSteps::name() const {
  if (together == 1)
    return "";
  return "_steps" + std::to_string(together) + (hasRest ? "rest" : "");
}

/// Returns the walk `count` products behind its place `at`.
static Value moved(CodeFrame &frame, const Walk &walk, Value at, unsigned count) {
  if (std::optional<int64_t> stride = getConstantIntValue(walk.stride))
    return frame.at(at, walk.element, *stride * count);
  for (unsigned i = 0; i < count; ++i)
    at = frame.at(at, walk.element, walk.stride);
  return at;
}

/// Emits the loop over products [low, high), `together` at a time. `carried` ends with the places of the walks.
static CodeFrame::Carry forSteps(CodeFrame &frame, Value low, Value high, unsigned together, ArrayRef<Walk> walks,
                                 ValueRange carried, ProductStep body) {
  return frame.loop(low, high, together, carried, [&](Value, ValueRange inner) {
    CodeFrame::Carry values(inner.drop_back(walks.size())), first(inner.take_back(walks.size())), places = first;
    for (unsigned i = 0; i < together; ++i) {
      values = body(places, values);
      for (auto [walk, start, place] : llvm::zip_equal(walks, first, places))
        place = getConstantIntValue(walk.stride) ? moved(frame, walk, start, i + 1) : moved(frame, walk, place, 1);
    }
    values.append(places);
    return values;
  });
}

CodeFrame::Carry lathe::cpu::forProducts(CodeFrame &frame, Value count, const ProductSteps &steps, ArrayRef<Walk> walks,
                                         ValueRange carried, ProductStep body) {
  Value zero = frame.eval.i64(0), whole = count;
  CodeFrame::Carry values(carried);
  for (const Walk &walk : walks)
    values.push_back(walk.at);
  if (steps.together > 1 && steps.hasRest)
    whole = frame.eval.mul(frame.divide(count, steps.together), frame.eval.i64(steps.together));
  values = forSteps(frame, zero, whole, steps.together, walks, values, body);
  if (steps.together > 1 && steps.hasRest)
    values = forSteps(frame, whole, count, 1, walks, values, body);
  values.truncate(carried.size());
  return values;
}
