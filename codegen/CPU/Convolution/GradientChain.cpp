// The sums of a chain for some taps, a function of its own that kernels with equal tiles share:
//
//   for tap
//     for image: for line of outputs that reads inputs through the tap
//       for output: sums[strip, block] += input[strip] * cotangent[block]     // registers
//     store the sums, or add them to those in memory
#include "codegen/CPU/Convolution/GradientChain.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

/// Calls `visit` with each argument of the function in order, and with its type.
template <typename Visitor>
void GradientChain::forEach(Call &call, OpBuilder &b, Visitor visit) const {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext()), i64 = b.getI64Type();
  for (Value *address : {&call.x, &call.y, &call.sums, &call.words})
    visit(*address, pointer);
  visit(call.isFirst, b.getI1Type());
  Places &places = call.places;
  for (Value *number : {&call.firstTap, &call.lastTap, &places.firstLine, &places.endLine, &places.low, &places.high,
                        &call.inputPitch, &call.outputPitch})
    visit(*number, i64);
  for (Extents &extents : call.extents)
    for (Value *number : {&extents.inputs, &extents.outputs})
      visit(*number, i64);
}

std::string GradientChain::name(const Chains &chains) const {
  std::string text = "gradient_chain_" + nameOf(*elementOf(element)).str();
  text += "_" + std::to_string(tile.rows) + "x" + std::to_string(tile.vectors) + "x" + std::to_string(tile.lanes) + "to" +
          std::to_string(lastLanes);
  for (const ConvolutionDim &dim : dims)
    text += "_" + std::to_string(dim.taps) + "by" + std::to_string(dim.outputStep()) + "and" + std::to_string(dim.inputStep());
  return text + (isPacked ? "_packed" : "") + (hasShortRows ? "_lines" : "") + (chains.areOne() ? "_one" : "") + steps.name();
}

void GradientChain::call(KernelFrame &frame, const Chains &chains, const Call &values) const {
  Call own{};
  own.extents.resize(dims.size());
  auto visitAll = [&](Call &each, auto visit) { forEach(each, frame.b, visit); };
  callSharedFunction(frame, frame, name(chains), values, own, visitAll,
                     [&](CodeFrame &inside, const Call &its) { emit(inside, chains, its); });
}

using ExtentsList = ArrayRef<GradientChain::Extents>;

static Value product(CodeFrame &frame, ExtentsList extents, Value GradientChain::Extents::*which) {
  Value result = frame.eval.i64(1);
  for (const GradientChain::Extents &each : extents)
    result = frame.eval.mul(result, each.*which);
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

/// Returns the lines of outputs in one position of the dimensions before the first of `extents`; 1 if there are none.
static Value linesIn(CodeFrame &frame, ExtentsList extents) {
  return frame.max(product(frame, extents.drop_back(), &GradientChain::Extents::outputs), frame.eval.i64(1));
}

void GradientChain::emit(CodeFrame &frame, const Chains &chains, const Call &call) const {
  PointEvaluator &eval = frame.eval;
  eval.lanes = tile.lanes;
  Value distance = eval.i64(int64_t(tile.rows) * tile.vectors * tile.lanes);
  frame.loop(call.firstTap, call.lastTap, 1, [&](Value tap) {
    CodeFrame::Carry sum = addTap(frame, call, tap);
    chains.store(frame, sum, frame.at(call.sums, element, eval.mul(tap, distance)), call.isFirst);
  });
}

/// Returns the sum of the chain for one tap.
CodeFrame::Carry GradientChain::addTap(CodeFrame &frame, const Call &call, Value tap) const {
  PointEvaluator &eval = frame.eval;
  WordTable words(frame, call.words);
  Value x = call.x, y = call.y;
  SmallVector<Meeting> meetings(dims.size());
  int64_t firstWord = 0; // of a dimension's taps
  for (const ConvolutionDim &dim : dims)
    firstWord += 3 * dim.taps;
  for (size_t d = dims.size(); d-- > 0;) {
    firstWord -= 3 * dims[d].taps;
    Value own = d ? frame.remainder(tap, dims[d].taps) : tap, word = eval.mul(own, eval.i64(3));
    tap = d ? frame.divide(tap, dims[d].taps) : tap;
    Value output = words(word, firstWord), input = words(word, firstWord + 1), any = words(word, firstWord + 2);
    ExtentsList inner = ArrayRef(call.extents).drop_front(d + 1);
    x = frame.at(x, element, eval.mul(input, eval.mul(product(frame, inner, &Extents::inputs), call.inputPitch)));
    y = frame.at(y, element, eval.mul(output, eval.mul(product(frame, inner, &Extents::outputs), call.outputPitch)));
    auto behind = [&](Value extent, Value first, int64_t step) {
      return frame.divideUp(frame.max(eval.sub(extent, first), eval.i64(0)), step);
    };
    Value outputs = behind(call.extents[d].outputs, output, dims[d].outputStep());
    Value inputs = behind(call.extents[d].inputs, input, dims[d].inputStep());
    meetings[d] = {output, eval.mul(eval.min(outputs, inputs), any)};
  }
  Value linesOfImage = linesIn(frame, call.extents);
  Value ofInputs = eval.mul(product(frame, call.extents, &Extents::inputs), call.inputPitch);
  Value ofOutputs = eval.mul(product(frame, call.extents, &Extents::outputs), call.outputPitch);
  Value firstImage = frame.divide(call.places.firstLine, linesOfImage);
  Value endImage = divideUp(frame, call.places.endLine, linesOfImage);
  CodeFrame::Carry none(tile.rows * tile.vectors, eval.splat(eval.constant(element, 0)));
  return frame.loop(firstImage, endImage, none, [&](Value n, ValueRange carried) {
    Value xn = frame.at(x, element, eval.mul(n, ofInputs)), yn = frame.at(y, element, eval.mul(n, ofOutputs));
    return overOutputs(frame, call, meetings, 0, linesOf(frame, call.places, n, linesOfImage), xn, yn, carried);
  });
}

CodeFrame::Carry GradientChain::overOutputs(CodeFrame &frame, const Call &call, ArrayRef<Meeting> meetings, size_t d,
                                            const Places &places, Value x, Value y, ValueRange totals) const {
  PointEvaluator &eval = frame.eval;
  const ConvolutionDim &dim = dims[d];
  const bool isLine = d + 1 == dims.size();
  ExtentsList inner = ArrayRef(call.extents).drop_front(d + 1);
  Value lines = isLine ? eval.i64(1) : linesIn(frame, inner);
  Value low = isLine ? places.low : frame.divide(places.firstLine, lines);
  Value high = isLine ? places.high : divideUp(frame, places.endLine, lines);
  auto before = [&](Value output) { // number of meetings before that output
    Value behind = frame.max(eval.sub(output, meetings[d].first), eval.i64(0));
    return eval.min(frame.divideUp(behind, dim.outputStep()), meetings[d].count);
  };
  const bool isWhole = isLine && hasShortRows;
  Value from = isWhole ? eval.i64(0) : before(low), to = isWhole ? meetings[d].count : before(high);
  Value inputStep = eval.mul(eval.i64(dim.inputStep()), eval.mul(product(frame, inner, &Extents::inputs), call.inputPitch));
  Value outputStep = eval.mul(eval.i64(dim.outputStep()), eval.mul(product(frame, inner, &Extents::outputs), call.outputPitch));
  if (isLine) {
    std::array<Walk, 2> walks{Walk{frame.at(x, element, eval.mul(from, inputStep)), element, inputStep},
                              Walk{frame.at(y, element, eval.mul(from, outputStep)), element, outputStep}};
    return forProducts(frame, frame.max(eval.sub(to, from), eval.i64(0)), steps, walks, totals,
                       [&](ArrayRef<Value> at, ValueRange carried) { return step(frame, at[0], at[1], carried); });
  }
  return frame.loop(from, to, totals, [&](Value i, ValueRange carried) {
    Value xi = frame.at(x, element, eval.mul(i, inputStep)), yi = frame.at(y, element, eval.mul(i, outputStep));
    Value output = eval.add(meetings[d].first, eval.mul(i, eval.i64(dim.outputStep())));
    return overOutputs(frame, call, meetings, d + 1, linesOf(frame, places, output, lines), xi, yi, carried);
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
