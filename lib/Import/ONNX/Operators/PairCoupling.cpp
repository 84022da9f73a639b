// Probabilities of classes from those of their pairs: the second method of Wu, Lin and Weng (JMLR 5, 2004), with the steps and
// the tolerance of libsvm. For r[i][j], the probability of class i if the class is i or j, it minimises p'Qp over distributions
// p, where
//
//   Q[t][t] = the sum of r[j][t]^2 over j != t,  Q[t][j] = -r[j][t] r[t][j]
//
// At the minimum all elements of Qp are p'Qp. A step changes one p[t] after the other so that this holds for t, and rescales p.
#include "dialects/Lathe/IR/Control.h"
#include "lib/Import/ONNX/Operators/Learning.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// The coupling of all rows of r, [N, K, K], with zeros on the diagonal.
class Coupling {
public:
  Coupling(Node &node, Value r, int64_t classes) : node(node), classes(classes) {
    element = elementOfValue(r);
    Value turned = node.transpose(r, {0, 2, 1});
    SmallVector<double> diagonal(classes * classes, 0.0);
    for (int64_t i = 0; i < classes; ++i)
      diagonal[i * classes + i] = 1;
    Value squares = node.reduce(ReduceKind::Sum, mul(r, r), 1, /*keep=*/true); // of column t
    q = sub(mul(squares, node.realConstants(diagonal, {1, classes, classes}, element)), mul(turned, r));
  }

  /// Returns the distributions [N, K].
  Value solve() {
    Dims dims = dimsOfValue(q);
    if (node.failed())
      return {};
    OpBuilder &builder = node.getGraph().getBuilder();
    OpBuilder::InsertionGuard guard(builder);
    Location location = node.getLocation();
    Value even = node.broadcast(number(1.0 / double(classes)), {}, {dims[0], Dim(classes)});
    Value first = node.constantInt(0, node.i64()), goes = node.constantInt(1, node.i1());
    int64_t most = std::max<int64_t>(100, classes);
    if (node.failed())
      return {};
    auto op = WhileOp::create(builder, location, ValueRange(), ValueRange{first, goes, even}, builder.getI64IntegerAttr(most));
    Block &condition = op.getCondition().front(), &body = op.getBody().front();
    builder.setInsertionPointToEnd(&condition);
    Value isLeft = node.compare(CompareKind::LT, condition.getArgument(0), node.constantInt(most, node.i64()));
    ConditionOp::create(builder, location, node.emit<AndOp>({isLeft, condition.getArgument(1)}));
    builder.setInsertionPointToEnd(&body);
    auto [next, isFar] = step(body.getArgument(2));
    Value count = node.emit<AddOp>({body.getArgument(0), node.constantInt(1, node.i64())});
    if (node.failed())
      return {};
    YieldOp::create(builder, location, ValueRange{count, isFar, next});
    closeRegions(op);
    return op.getResult(2);
  }

private:
  Value add(Value a, Value b) { return node.emit<AddOp>({a, b}); }
  Value sub(Value a, Value b) { return node.emit<SubOp>({a, b}); }
  Value mul(Value a, Value b) { return node.emit<MulOp>({a, b}); }
  Value div(Value a, Value b) { return node.emit<DivOp>({a, b}); }
  Value number(double value) { return node.constant(value, element); }

  /// Returns the distributions after a step, and whether one of them has changed. Those at the minimum stay.
  std::pair<Value, Value> step(Value p) {
    Dims dims = dimsOfValue(p);
    Value row = node.reshape(p, {dims[0], Dim(1), Dim(classes)});
    Value qp = node.reduce(ReduceKind::Sum, mul(q, row), 2, /*keep=*/false);
    Value pqp = node.reduce(ReduceKind::Sum, mul(p, qp), 1, /*keep=*/true);
    Value farthest = node.reduce(ReduceKind::Max, node.emit<AbsOp>(sub(qp, pqp)), 1, /*keep=*/true);
    Value isFar = node.compare(CompareKind::GE, farthest, number(0.005 / double(classes)));
    Value next = p;
    for (int64_t t = 0; t < classes; ++t) {
      Value ofClass = node.reshape(node.slice(q, 1, Dim(t), Dim(t + 1)), {dims[0], Dim(classes)});
      Value own = node.slice(ofClass, 1, Dim(t), Dim(t + 1)), qpOwn = node.slice(qp, 1, Dim(t), Dim(t + 1));
      SmallVector<double> unit(classes, 0.0);
      unit[t] = 1;
      Value change = div(sub(pqp, qpOwn), own), scale = add(change, number(1));
      next = div(add(next, mul(change, node.realConstants(unit, {1, classes}, element))), scale);
      pqp = div(add(pqp, mul(change, add(mul(change, own), mul(number(2), qpOwn)))), mul(scale, scale));
      qp = div(add(qp, mul(change, ofClass)), scale);
    }
    return {node.emit<SelectOp>({isFar, next, p}), node.reduce(ReduceKind::Or, isFar, {0, 1}, /*keep=*/false)};
  }

  Node &node;
  int64_t classes;
  Type element;
  Value q;
};
} // namespace

Value onnximport::coupledPairs(Node &node, Value pairs, int64_t classes) {
  Dims dims = dimsOfValue(pairs);
  if (node.failed())
    return {};
  Integers places(classes * classes, 2 * columnsOf(pairs)); // in the pairs, their complements and a zero
  int64_t pair = 0;
  for (int64_t i = 0; i < classes; ++i)
    for (int64_t j = i + 1; j < classes; ++j, ++pair) {
      places[i * classes + j] = pair;
      places[j * classes + i] = columnsOf(pairs) + pair;
    }
  Type element = elementOfValue(pairs);
  Value others = node.emit<SubOp>({node.constant(1, element), pairs});
  Value zero = node.broadcast(node.constant(0, element), {}, {dims[0], Dim(1)});
  Value all =
      node.gather(node.concatenate({pairs, others, zero}, 1), node.constants(places, int64_t(places.size()), node.i64()), 1);
  return Coupling(node, node.reshape(all, {dims[0], Dim(classes), Dim(classes)}), classes).solve();
}
