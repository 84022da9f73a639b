// Products of dequantised tensors, which are computed as products of their integers.
#ifndef LATHE_IMPORT_ONNX_DEQUANTIZED_H
#define LATHE_IMPORT_ONNX_DEQUANTIZED_H

#include "lib/Import/ONNX/Operators/Operators.h"

namespace lathe::onnximport {

/// The result of DequantizeLinear: integers minus their zero point, as i32, times a scale.
struct Dequantized {
  Value centred, scale;
};

/// Returns the integers behind a tensor of f32. Returns nullopt for other tensors, and unless the integers have 8 bits.
std::optional<Dequantized> dequantizedBytes(Value real);

/// Returns `select` of a tensor, for a function that picks elements by their order only, such as a maximum: that of its
/// integers if it is dequantised by one positive scale. The real numbers would be stored in four times the bytes.
Value dequantizedSelection(Node &node, Value real, llvm::function_ref<Value(Value)> select);

/// True if all elements of a constant, also behind conversions and views of it, are `number`.
bool isEverywhere(Value value, double number);

/// Both operands of a product of real numbers.
struct DequantizedPair {
  Dequantized left, right;
};
/// Returns the operands' integers if their product is worth computing in integers: the left scale is one number, and the right
/// operand holds constants of i8, or of u8 with zero point 128, or with `anyZero` of bytes with constant zero points. A sum has
/// `depth` products.
std::optional<DequantizedPair> dequantizedPair(Value left, Value right, const Dim &depth, bool anyZero);

/// Returns sums of integers as real numbers. `scale` is that of the right operand, for each column. The bias, input `bias`, is
/// added to the sums if it has integers of their scale, and otherwise to the result; the node need not have it.
Value dequantizedSums(Node &node, Value sums, Value left, Value scale, int bias);

/// Quantises dequantised numbers, sums of their products, or a sum of two of these, also behind a Relu and transposes: one
/// factor stands for the scales of the integers and of the result. Returns null for other tensors.
Value requantized(Node &node, Value real, Value scale, Value zero, Type element);

} // namespace lathe::onnximport

#endif
