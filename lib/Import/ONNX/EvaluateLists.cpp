#include "lib/Import/ONNX/Evaluator.h"
#include "lib/Import/ONNX/Truths.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Evaluates TopK of a list whose order is the same for all sizes.
bool Evaluator::topK() {
  std::optional<std::vector<int64_t>> given = integersOf(1);
  int64_t count = in(0).elements.size();
  if (node.opset() < 10 || in(0).rank() != 1 || !given || given->size() != 1 || given->front() < 0 || given->front() > count)
    return false;
  bool takesLargest = node.integer("largest", 1), isDecided = true;
  std::vector<int64_t> order;
  for (int64_t i = 0; i < count; ++i) { // the first of equal ones comes first
    auto isBehind = [&](int64_t other) {
      std::optional<Scalar> result =
          combine(takesLargest ? "Greater" : "Less", in(0).elements[i], in(0).elements[other], in(0).element);
      isDecided &= result && result->isNumber();
      return isDecided && result->number() != 0;
    };
    order.insert(llvm::find_if(order, isBehind), i);
  }
  if (!isDecided)
    return false;
  order.resize(given->front());
  Known values{in(0).element, {given->front()}, {}}, indices = knownList(node.i64(), Dims(order.begin(), order.end()));
  for (int64_t index : order)
    values.elements.push_back(in(0).elements[index]);
  return give(std::move(values)) && give(std::move(indices), 1);
}

/// Evaluates ScatterND with known indices.
bool Evaluator::scatter() {
  std::optional<std::vector<int64_t>> indices = integersOf(1);
  Known result = in(0);
  if (!indices || in(1).rank() == 0 || in(2).element != result.element)
    return false;
  int64_t depth = in(1).shape.back(), run = 1; // elements that an index replaces
  if (depth < 1 || depth > result.rank())
    return false;
  for (int64_t extent : ArrayRef(result.shape).drop_front(depth))
    run *= extent;
  int64_t count = indices->size() / depth;
  if (int64_t(in(2).elements.size()) != count * run)
    return false;
  llvm::StringMap<StringRef> ops{{"add", "Add"}, {"mul", "Mul"}, {"max", "Max"}, {"min", "Min"}};
  std::string reduction = node.text("reduction", "none");
  for (int64_t i = 0; i < count; ++i) {
    int64_t place = 0;
    for (int64_t axis = 0; axis < depth; ++axis) {
      int64_t index = (*indices)[i * depth + axis], extent = result.shape[axis];
      if (index < -extent || index >= extent)
        return false;
      place = place * extent + (index < 0 ? index + extent : index);
    }
    for (int64_t j = 0; j < run; ++j) {
      Scalar &element = result.elements[place * run + j];
      const Scalar &update = in(2).elements[i * run + j];
      std::optional<Scalar> next =
          reduction == "none" ? update : combine(ops.lookup(reduction), element, update, result.element);
      if (!next)
        return false;
      element = *next;
    }
  }
  return give(std::move(result));
}
