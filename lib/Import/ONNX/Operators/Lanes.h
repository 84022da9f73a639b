// Arithmetic on numbers during import, or on lists of f64 at run time, with the same source code.
#ifndef LATHE_IMPORT_ONNX_LANES_H
#define LATHE_IMPORT_ONNX_LANES_H

#include "lib/Import/ONNX/Operators/Operators.h"
#include <cmath>

namespace lathe::onnximport {

/// A tensor of f64 for elementwise arithmetic; operands of rank 0 broadcast.
struct Lanes {
  Lanes(Node &node, Value value) : node(&node), value(value) {}
  Node *node;
  Value value;

  template <typename Op>
  Lanes with(Value other) const {
    return {*node, node->emit<Op>({value, other})};
  }
  Value number(double other) const { return node->constant(other, elementOfValue(value)); }
};
/// A tensor of i1.
struct LaneTruths {
  Node *node;
  Value value;
};

inline Lanes operator+(const Lanes &a, const Lanes &b) { return a.with<AddOp>(b.value); }
inline Lanes operator-(const Lanes &a, const Lanes &b) { return a.with<SubOp>(b.value); }
inline Lanes operator*(const Lanes &a, const Lanes &b) { return a.with<MulOp>(b.value); }
inline Lanes operator/(const Lanes &a, const Lanes &b) { return a.with<DivOp>(b.value); }
inline Lanes operator+(const Lanes &a, double b) { return a.with<AddOp>(a.number(b)); }
inline Lanes operator-(const Lanes &a, double b) { return a.with<SubOp>(a.number(b)); }
inline Lanes operator*(const Lanes &a, double b) { return a.with<MulOp>(a.number(b)); }
inline Lanes operator/(const Lanes &a, double b) { return a.with<DivOp>(a.number(b)); }

/// The result type of comparisons.
template <typename T>
using Truth = std::conditional_t<std::is_same_v<T, double>, bool, LaneTruths>;

inline bool isGreater(double a, double b) { return a > b; }
inline bool isEqual(double a, double b) { return a == b; }
inline bool either(bool a, bool b) { return a || b; }
inline double choose(bool condition, double yes, double no) { return condition ? yes : no; }
inline double floorOf(double a) { return std::floor(a); }
inline double ceilOf(double a) { return std::ceil(a); }
inline double absOf(double a) { return std::fabs(a); }
inline double larger(double a, double b) { return std::max(a, b); }
inline double smaller(double a, double b) { return std::min(a, b); }

inline LaneTruths isGreater(const Lanes &a, double b) {
  return {a.node, a.node->compare(CompareKind::GT, a.value, a.number(b))};
}
inline LaneTruths isEqual(const Lanes &a, double b) { return {a.node, a.node->compare(CompareKind::EQ, a.value, a.number(b))}; }
inline LaneTruths either(const LaneTruths &a, const LaneTruths &b) { return {a.node, a.node->emit<OrOp>({a.value, b.value})}; }
inline Lanes choose(const LaneTruths &condition, const Lanes &yes, const Lanes &no) {
  return {*yes.node, yes.node->emit<SelectOp>({condition.value, yes.value, no.value})};
}
inline Lanes floorOf(const Lanes &a) { return {*a.node, a.node->emit<FloorOp>(a.value)}; }
inline Lanes ceilOf(const Lanes &a) { return {*a.node, a.node->emit<CeilOp>(a.value)}; }
inline Lanes absOf(const Lanes &a) { return {*a.node, a.node->emit<AbsOp>(a.value)}; }
inline Lanes larger(const Lanes &a, double b) { return a.with<MaxOp>(a.number(b)); }
inline Lanes smaller(const Lanes &a, const Lanes &b) { return a.with<MinOp>(b.value); }

/// Returns a size as an f64.
inline Lanes sizeAsLanes(Node &node, const Dim &size) {
  return {node, node.convert(node.size(size, node.i64()), mlir::Float64Type::get(node.i64().getContext()))};
}

} // namespace lathe::onnximport

#endif
