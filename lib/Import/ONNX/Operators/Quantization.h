// What operators on quantised numbers share.
#ifndef LATHE_IMPORT_ONNX_QUANTIZATION_H
#define LATHE_IMPORT_ONNX_QUANTIZATION_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

inline Type i32(Node &node) { return mlir::IntegerType::get(node.i64().getContext(), 32); }

/// An input of one element, whatever its rank.
Value oneOf(Node &node, int input);
/// An operand of 8 bits.
Value bytes(Node &node, int input);
/// A zero point is of the type of what it belongs to. Null where the node has none.
Value zeroOf(Node &node, int input, Type element);
/// A scale of the operators on quantised numbers, which compute in f32.
Value scaleOf(Node &node, int input);
/// Integers less their zero point, which may be null, exactly.
Value centred(Node &node, Value x, Value zero, Type wide);
/// The nearest integers, ties to even, beside a zero point; what is beyond the type is its end.
Value saturate(Node &node, Value x, Value zero, Type element);
/// Real numbers as u8 of the range that they and 0 have.
struct DynamicallyQuantized {
  Value values, scale, zero;
};
DynamicallyQuantized quantizeDynamically(Node &node, Value x);

/// A matrix of integers less their zero points, and the scales of its columns.
struct QuantizedMatrix {
  Value values, scale;
};
/// x times the matrix in f32: the sums are of x quantised dynamically.
Value quantizedProduct(Node &node, Value x, const QuantizedMatrix &matrix);

/// Sums times the product of the operands' scales over that of the result, which is input `scale`, behind it its zero point.
Value requantize(Node &node, Value sums, Value left, Value right, int scale);

} // namespace lathe::onnximport

#endif
