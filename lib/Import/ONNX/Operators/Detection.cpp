// Operators on bounding boxes.
#include "dialects/Lathe/IR/Control.h"
#include "lib/Import/ONNX/Operators/DataSizes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// Boxes as tensors of their four bounds, each [batch, classes, boxes].
struct Boxes {
  Value top, left, bottom, right, area;
};

/// Non-maximum suppression: one pass over the boxes of each class of each image, in descending order of scores.
class Suppression {
public:
  explicit Suppression(Node &node) : node(node) {}
  void convert();

private:
  bool read();
  Boxes boundsOf(Value boxes);
  Boxes pick(const Boxes &boxes, llvm::function_ref<Value(Value)> from);
  Value overlaps(const Boxes &one, const Boxes &others);
  Value keep(const Boxes &boxes, Value passes);
  void step(Block &block, const Boxes &boxes, Value passes);
  Value scalarOf(int input, double otherwise, Type element);

  Node &node;
  Dims shape; // [batch, classes, boxes]
  Value boxes, scores;
  Value most, overlap; // rank 0: the maximum number of boxes a class, and the maximum overlap
};
} // namespace

/// Returns an operand of one element as rank 0.
Value Suppression::scalarOf(int input, double otherwise, Type element) {
  if (!node.has(input))
    return isa<FloatType>(element) ? node.constant(otherwise, element) : node.constantInt(int64_t(otherwise), element);
  return node.convert(node.reshape(node.input(input), {}), element);
}

bool Suppression::read() {
  boxes = node.input(0), scores = node.input(1);
  Dims of = node.dims(0);
  shape = node.dims(1);
  if (node.failed())
    return false;
  if (of.size() == 3 && shape.size() == 3) {
    scores = node.fitted(scores, {of[0], shape[1], of[1]});
    shape = dimsOfValue(scores);
  }
  if (of.size() != 3 || shape.size() != 3 || of[0] != shape[0] || of[1] != shape[2] || !of[2].isStatic(4))
    node.refuse("boxes of shape " + str(of) + " and scores of shape " + str(shape) +
                ", expected [batch, boxes, 4] and [batch, classes, boxes]");
  int64_t kind = node.integer("center_point_box", 0);
  if (kind != 0 && kind != 1)
    node.refuse("center_point_box is " + Twine(kind) + ", expected 0 or 1");
  most = scalarOf(2, 0, node.i64());
  overlap = scalarOf(3, 0, elementOfValue(boxes));
  return !node.failed();
}

/// Returns each bound with the classes in the middle; corners may come in any order.
Boxes Suppression::boundsOf(Value boxes) {
  auto column = [&](int64_t i) { return node.reshape(node.slice(boxes, 3, i, Dim(i + 1)), shape); };
  Value a = column(0), b = column(1), c = column(2), d = column(3);
  Boxes bounds;
  if (node.integer("center_point_box", 0)) { // x, y, width, height
    Value half = node.constant(0.5, elementOfValue(boxes));
    Value width = node.emit<MulOp>({c, half}), height = node.emit<MulOp>({d, half});
    bounds = {node.emit<SubOp>({b, height}), node.emit<SubOp>({a, width}), node.emit<AddOp>({b, height}),
              node.emit<AddOp>({a, width}), Value()};
  } else { // y, x, y, x
    bounds = {node.emit<MinOp>({a, c}), node.emit<MinOp>({b, d}), node.emit<MaxOp>({a, c}), node.emit<MaxOp>({b, d}), Value()};
  }
  bounds.area =
      node.emit<MulOp>({node.emit<SubOp>({bounds.bottom, bounds.top}), node.emit<SubOp>({bounds.right, bounds.left})});
  return bounds;
}

Boxes Suppression::pick(const Boxes &boxes, llvm::function_ref<Value(Value)> from) {
  return {from(boxes.top), from(boxes.left), from(boxes.bottom), from(boxes.right), from(boxes.area)};
}

/// Returns true for pairs of boxes whose intersection over union exceeds the limit; false for boxes without an area.
Value Suppression::overlaps(const Boxes &one, const Boxes &others) {
  Value zero = node.constant(0, elementOfValue(one.top));
  auto length = [&](Value low, Value otherLow, Value high, Value otherHigh) {
    Value from = node.emit<MaxOp>({low, otherLow}), to = node.emit<MinOp>({high, otherHigh});
    return node.emit<MaxOp>({node.emit<SubOp>({to, from}), zero});
  };
  Value both = node.emit<MulOp>(
      {length(one.top, others.top, one.bottom, others.bottom), length(one.left, others.left, one.right, others.right)});
  Value either = node.emit<SubOp>({node.emit<AddOp>({one.area, others.area}), both});
  return node.emit<AndOp>(
      {node.compare(CompareKind::GT, both, zero), node.compare(CompareKind::GT, node.emit<DivOp>({both, either}), overlap)});
}

/// Yields whether the box of a step is kept, [batch, classes]. Carries the removed boxes, and the number of kept ones of each
/// class.
void Suppression::step(Block &block, const Boxes &boxes, Value passes) {
  Value index = block.getArgument(2), gone = block.getArgument(0), kept = block.getArgument(1);
  Dims each(ArrayRef(shape).take_front(2)), single{shape[0], shape[1], Dim(1)};
  auto at = [&](Value value) { return node.gather(value, node.reshape(index, {Dim(1)}), 2); };
  Value isKept = node.emit<AndOp>({at(passes), node.emit<NotOp>(at(gone))});
  Value room = node.compare(CompareKind::LT, kept, most);
  isKept = node.emit<AndOp>({isKept, node.reshape(room, single)});
  Boxes one = pick(boxes, [&](Value bound) { return node.broadcast(at(bound), {0, 1, 2}, shape); });
  Value hit = node.emit<AndOp>({node.broadcast(isKept, {0, 1, 2}, shape), overlaps(one, boxes)});
  Value next = node.reshape(isKept, each);
  YieldOp::create(node.getGraph().getBuilder(), node.getLocation(),
                  ValueRange{node.emit<OrOp>({gone, hit}), node.emit<AddOp>({kept, node.convert(next, node.i64())}), next});
}

/// Returns which boxes, in the order of their scores, are kept.
Value Suppression::keep(const Boxes &boxes, Value passes) {
  OpBuilder &builder = node.getGraph().getBuilder();
  Dims each(ArrayRef(shape).take_front(2));
  Value gone = node.broadcast(node.constantInt(0, node.i1()), {}, shape);
  Value kept = node.broadcast(node.constantInt(0, node.i64()), {}, each);
  Value index = node.iota(0, {shape[2]}, node.i64());
  if (node.failed())
    return {};
  auto scan = ScanOp::create(builder, node.getLocation(), Value(), ValueRange(), ValueRange{gone, kept}, index, ShapeAttr(),
                             TypeRange{tensorOf(each, node.i1())});
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&scan.getBody().front());
    step(scan.getBody().front(), boxes, passes);
  }
  if (node.failed())
    return {};
  closeRegions(scan);
  return node.transpose(scan.getStacks()[0], {1, 2, 0});
}

void Suppression::convert() {
  if (!read())
    return;
  Value order = node.convert(node.emit<ArgsortOp>(scores, {node.number("dim", 2), node.flag("descending")}), node.i64());
  Value sorted = node.gather(scores, order, 2, 2);
  Dims four(shape);
  four.push_back(Dim(4));
  Value all = node.broadcast(boxes, {0, 2, 3}, four);
  Value passes = node.has(4) ? node.compare(CompareKind::GT, sorted, scalarOf(4, 0, elementOfValue(sorted)))
                             : node.broadcast(node.constantInt(1, node.i1()), {}, shape);
  if (node.failed())
    return;
  Value stays = keep(boundsOf(node.gather(all, order, 2, 2)), passes);
  if (node.failed())
    return;
  // No class has more boxes than this.
  const Known *asked = node.has(2) ? node.known(2) : nullptr;
  std::optional<std::vector<int64_t>> count = asked ? asked->integers() : std::nullopt;
  std::optional<Dim> bound;
  if (count && count->size() == 1 && shape[2].isStatic())
    bound = numElements({shape[0], shape[1], Dim(std::clamp<int64_t>(count->front(), 0, shape[2].constant()))});
  Value places = placesWhere(node, flattened(node, stays), bound);
  Value rows = coordinates(node, places, shape);
  if (node.failed())
    return;
  Value box = node.gather(flattened(node, order), places, 0);
  Dim found = dimsOf(places)[0];
  rows = node.concatenate({node.slice(rows, 0, 0, Dim(2)), node.reshape(box, {Dim(1), found})}, 0);
  node.set(0, node.transpose(rows, {1, 0}));
}

static void nonMaxSuppression(Node &node) { Suppression(node).convert(); }

void onnximport::addDetection(Converters &converters) {
  converters["NonMaxSuppression"] = {nonMaxSuppression, 2, 5, "center_point_box"};
}
