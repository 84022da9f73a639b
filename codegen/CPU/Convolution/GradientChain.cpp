// The sum of a chain for one tap, a function of its own that kernels with equal tiles share:
//
//   for image: for line of outputs that reads inputs through the tap
//     for output: sums[strip, block] += input[strip] * cotangent[block]     // registers
//   store the sums, or add them to those in memory
#include "codegen/CPU/Convolution/GradientChain.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Calls `visit` with each argument of the function in order, and with its type.
template <typename Visitor>
void GradientChain::forEach(Call &call, OpBuilder &b, Visitor visit) const {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  for (Value *address : {&call.x, &call.y, &call.sums})
    visit(*address, pointer);
  visit(call.isFirst, b.getI1Type());
  Places &places = call.places;
  for (Value *number : {&places.firstLine, &places.endLine, &places.low, &places.high, &call.inputPitch, &call.outputPitch})
    visit(*number, i64);
  for (Meeting &meeting : call.meetings)
    for (Value *number : {&meeting.first, &meeting.count, &meeting.inputs, &meeting.outputs})
      visit(*number, i64);
}

std::string GradientChain::name(const Chains &chains) const {
  std::string text = "gradient_chain_" + nameOf(*elementOf(element)).str();
  text += "_" + std::to_string(tile.rows) + "x" + std::to_string(tile.vectors) + "x" + std::to_string(tile.lanes) + "to" +
          std::to_string(lastLanes);
  for (const ConvolutionDim &dim : dims)
    text += "_" + std::to_string(dim.outputStep()) + "and" + std::to_string(dim.inputStep());
  return text + (isPacked ? "_packed" : "") + (hasShortRows ? "_lines" : "") + (chains.areOne() ? "_one" : "") + steps.name();
}

void GradientChain::call(KernelFrame &frame, const Chains &chains, const Call &values) const {
  Call given = values;
  SmallVector<Value> list;
  SmallVector<Type> types;
  forEach(given, frame.b, [&](Value value, Type type) {
    list.push_back(value);
    types.push_back(type);
  });
  auto function = sharedFunction(frame, name(chains), types, [&](CodeFrame &inside, ArrayRef<Value> arguments) {
    Call own{};
    own.meetings.resize(dims.size());
    forEach(own, frame.b, [&, i = 0](Value &value, Type) mutable { value = arguments[i++]; });
    emit(inside, chains, own);
  });
  LLVM::CallOp::create(frame.b, frame.loc, function, list);
}

static Value product(CodeFrame &frame, ArrayRef<GradientChain::Meeting> meetings, Value GradientChain::Meeting::*extent) {
  Value result = frame.eval.i64(1);
  for (const GradientChain::Meeting &meeting : meetings)
    result = frame.eval.mul(result, meeting.*extent);
  return result;
}

static Value divideUp(CodeFrame &frame, Value x, Value divisor) {
  return frame.divide(frame.eval.add(x, frame.eval.sub(divisor, frame.eval.i64(1))), divisor);
}

/// Returns the part of `places` at position `o` of an outer dimension, each position of which has `lines` lines.
static GradientChain::Places linesOf(CodeFrame &frame, const GradientChain::Places &places, Value o, Value lines) {
  PointEvaluator &eval = frame.eval;
  Value origin = eval.mul(o, lines);
  auto clip = [&](Value line) { return eval.min(frame.max(eval.sub(line, origin), eval.i64(0)), lines); };
  return {clip(places.firstLine), clip(places.endLine), places.low, places.high};
}

/// Returns the lines of outputs in one position of the dimensions before the first of `meetings`; 1 if there are none.
static Value linesIn(CodeFrame &frame, ArrayRef<GradientChain::Meeting> meetings) {
  return frame.max(product(frame, meetings.drop_back(), &GradientChain::Meeting::outputs), frame.eval.i64(1));
}

void GradientChain::emit(CodeFrame &frame, const Chains &chains, const Call &call) const {
  PointEvaluator &eval = frame.eval;
  eval.lanes = tile.lanes;
  Value linesOfImage = linesIn(frame, call.meetings);
  Value ofInputs = eval.mul(product(frame, call.meetings, &Meeting::inputs), call.inputPitch);
  Value ofOutputs = eval.mul(product(frame, call.meetings, &Meeting::outputs), call.outputPitch);
  CodeFrame::Carry sum(tile.rows * tile.vectors, eval.splat(eval.constant(element, 0)));
  Value firstImage = frame.divide(call.places.firstLine, linesOfImage);
  Value endImage = divideUp(frame, call.places.endLine, linesOfImage);
  sum = frame.loop(firstImage, endImage, sum, [&](Value n, ValueRange carried) {
    Value x = frame.at(call.x, element, eval.mul(n, ofInputs)), y = frame.at(call.y, element, eval.mul(n, ofOutputs));
    return overOutputs(frame, call, 0, linesOf(frame, call.places, n, linesOfImage), x, y, carried);
  });
  chains.store(frame, sum, call.sums, call.isFirst);
}

CodeFrame::Carry GradientChain::overOutputs(CodeFrame &frame, const Call &call, size_t d, const Places &places, Value x,
                                            Value y, ValueRange totals) const {
  PointEvaluator &eval = frame.eval;
  const ConvolutionDim &dim = dims[d];
  const bool isLine = d + 1 == dims.size();
  ArrayRef<Meeting> inner = ArrayRef(call.meetings).drop_front(d + 1);
  Value lines = isLine ? eval.i64(1) : linesIn(frame, inner);
  Value low = isLine ? places.low : frame.divide(places.firstLine, lines);
  Value high = isLine ? places.high : divideUp(frame, places.endLine, lines);
  auto before = [&](Value output) { // number of meetings before that output
    Value behind = frame.max(eval.sub(output, call.meetings[d].first), eval.i64(0));
    return eval.min(frame.divideUp(behind, dim.outputStep()), call.meetings[d].count);
  };
  const bool isWhole = isLine && hasShortRows;
  Value from = isWhole ? eval.i64(0) : before(low), to = isWhole ? call.meetings[d].count : before(high);
  Value inputStep = eval.mul(eval.i64(dim.inputStep()), eval.mul(product(frame, inner, &Meeting::inputs), call.inputPitch));
  Value outputStep = eval.mul(eval.i64(dim.outputStep()), eval.mul(product(frame, inner, &Meeting::outputs), call.outputPitch));
  if (isLine) {
    std::array<Walk, 2> walks{Walk{frame.at(x, element, eval.mul(from, inputStep)), element, inputStep},
                              Walk{frame.at(y, element, eval.mul(from, outputStep)), element, outputStep}};
    return forProducts(frame, frame.max(eval.sub(to, from), eval.i64(0)), steps, walks, totals,
                       [&](ArrayRef<Value> at, ValueRange carried) { return step(frame, at[0], at[1], carried); });
  }
  return frame.loop(from, to, totals, [&](Value i, ValueRange carried) {
    Value xi = frame.at(x, element, eval.mul(i, inputStep)), yi = frame.at(y, element, eval.mul(i, outputStep));
    Value output = eval.add(call.meetings[d].first, eval.mul(i, eval.i64(dim.outputStep())));
    return overOutputs(frame, call, d + 1, linesOf(frame, places, output, lines), xi, yi, carried);
  });
}

/// Adds one output position: an outer product of the strip's input channels and the block's output channels.
CodeFrame::Carry GradientChain::step(CodeFrame &frame, Value x, Value y, ValueRange totals) const {
  SmallVector<Value> factors;
  for (unsigned v = 0; v < tile.vectors; ++v) {
    VectorScope scope(frame, tile, {Value(), tile.vectors, lastLanes}, v);
    if (isPacked)
      frame.eval.tail = {};
    factors.push_back(frame.loadLanes(frame.at(y, element, v * tile.lanes), element));
  }
  CodeFrame::Carry next;
  for (int64_t row = 0; row < tile.rows; ++row) {
    Value factor = frame.eval.splat(frame.loadOne(frame.at(x, element, row), element));
    for (unsigned v = 0; v < tile.vectors; ++v)
      next.push_back(frame.multiplyAdd(factor, factors[v], totals[row * tile.vectors + v]));
  }
  return next;
}
