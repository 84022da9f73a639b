// Code that operators on quantised numbers share.
#ifndef LATHE_IMPORT_ONNX_QUANTIZATION_H
#define LATHE_IMPORT_ONNX_QUANTIZATION_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

inline Type i32(Node &node) { return mlir::IntegerType::get(node.i64().getContext(), 32); }

/// Returns an input of one element, whatever its rank.
Value oneOf(Node &node, int input);
/// Returns an operand of 8 bits.
Value bytes(Node &node, int input);
/// Returns a zero point, which must have the type of its operand. Null if the node has none.
Value zeroOf(Node &node, int input, Type element);
/// Returns the scale of an operator on quantised numbers, which compute in f32.
Value scaleOf(Node &node, int input);
/// Returns integers minus their zero point, which may be null, exactly.
Value centred(Node &node, Value x, Value zero, Type wide);
/// Rounds to the nearest integers, ties to even, and adds a zero point. Values beyond the type saturate.
Value saturate(Node &node, Value x, Value zero, Type element);
/// Real numbers as u8, scaled to the range of the numbers and 0.
struct DynamicallyQuantized {
  Value values, scale, zero;
};
DynamicallyQuantized quantizeDynamically(Node &node, Value x);

/// A matrix of integers minus their zero points, and the scales of its columns.
struct QuantizedMatrix {
  Value values, scale;
};
/// Returns x times the matrix in f32; x is quantised dynamically for the sums.
Value quantizedProduct(Node &node, Value x, const QuantizedMatrix &matrix);

/// Multiplies sums by the product of the operands' scales over that of the result, which is input `scale`, followed by its zero
/// point.
Value requantize(Node &node, Value sums, Value left, Value right, int scale);

} // namespace lathe::onnximport

#endif
