// Batching rules of dot_general and of the convolutions.
#include "passes/Autodiff/Vmap/Taps.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

/// The batch becomes a batch dimension of both operands, or a free one of the only batched operand.
static Value batchedDot(Batch &b, DotGeneralOp op, Lifteds in) {
  bool left = in[0].batched, right = in[1].batched;
  auto moved = [](ArrayRef<int64_t> dims, bool by) { return by ? shifted(dims) : Ints(dims); };
  Ints lhsBatch = moved(op.getLhsBatch(), left), rhsBatch = moved(op.getRhsBatch(), right);
  if (left && right) {
    lhsBatch.insert(lhsBatch.begin(), 0);
    rhsBatch.insert(rhsBatch.begin(), 0);
  }
  Value dot = b.e.make<DotGeneralOp>(in[0].value, in[1].value, moved(op.getLhsContract(), left),
                                     moved(op.getRhsContract(), right), lhsBatch, rhsBatch);
  if (left && right)
    return dot;
  // As dimension 0, it is the first free one of its operand.
  int64_t place = left ? op.getLhsBatch().size() : typeOf(op.getLhs()).getRank() - op.getLhsContract().size();
  return b.toFront(dot, place);
}

/// Reshapes [batch, ..., channels] to [..., batch * channels].
static Value intoChannels(Batch &b, Value value) {
  int64_t rank = typeOf(value).getRank();
  Ints order = llvm::to_vector(llvm::seq<int64_t>(1, rank - 1));
  order.append({0, rank - 1});
  Value moved = b.e.transpose(value, order);
  Dims dims = dimsOf(moved);
  Dim channels = dims.pop_back_val();
  dims.back() = dims.back() * channels;
  return b.e.reshape(moved, dims);
}

/// Batches a convolution whose filter, or filter gradient, differs for each element: the elements become groups of channels,
/// whose number must be known.
template <typename Op>
static Value convAsGroups(Batch &b, Op op, Lifteds in) {
  Type element = typeOf(op.getResult()).getElementType();
  Dims result = dimsOf(op.getResult());
  if (!b.size.isStatic()) { // a sum of one product for each tap; for halves it is rounded once, like the op's own sum
    Type single = isHalf(element) ? Type(b.e.getBuilder().getF32Type()) : element;
    Value sum = convByTaps(b, op, b.e.convert(b.whole(in[0]), single), b.e.convert(b.whole(in[1]), single));
    return sum ? b.e.convert(sum, element) : Value();
  }
  if (b.size.isStatic(0))
    return b.e.zeros(tensorOf(b.over(result), element));
  SmallVector<Value> operands = llvm::map_to_vector(in, [&](const Lifted &value) { return intoChannels(b, b.whole(value)); });
  Value grouped = b.again<Op>(op, operands, [&](Op made) { made.setGroups(op.getGroups() * b.size.constant()); });
  result.insert(result.end() - 1, b.size);
  return b.toFront(b.e.reshape(grouped, result), result.size() - 2);
}

/// One filter for all elements: a batch of batches of images is one batch of images.
template <typename Op>
static void addConvolution(BatchRules &rules) {
  rules.add<Op>([](Batch &b, Op op, Lifteds in) -> Value {
    if (in[1].batched)
      return convAsGroups(b, op, in);
    Dims images = dimsOf(op->getOperand(0));
    images[0] = b.size * images[0];
    Value all = b.again<Op>(op, {b.e.reshape(in[0].value, images), in[1].value});
    return b.e.reshape(all, b.over(dimsOf(op.getResult())));
  });
}

void autodiff::addContractionBatching(BatchRules &rules) {
  rules.add<DotGeneralOp>(batchedDot);
  addConvolution<ConvOp>(rules);
  addConvolution<ConvInputGradOp>(rules);
  rules.add<ConvFilterGradOp>(convAsGroups<ConvFilterGradOp>);
}
