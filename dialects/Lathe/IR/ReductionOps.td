// Reductions and contractions.
#ifndef LATHE_REDUCTION_OPS_TD
#define LATHE_REDUCTION_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_ReduceOp : Lathe_ValueOp<"reduce", [Lathe_Hero, Lathe_ReadsOnce, Lathe_ReductionOpInterface]> {
  let summary = "All elements along some dimensions, combined into one";
  let description = [{
    `lathe.reduce sum %x dims [0, 2] : tensor<2x3x4xf32>` is a `tensor<3xf32>`. The kinds are sum, product, max and min of numbers,
    and and, or and xor of the bits of integers; for i1, `and` is "all" and `or` is "any". Without elements the result is 0, 1, -inf
    (or the smallest integer), inf (or the largest integer), all bits set, 0 or 0. max and min are NaN if an element is, and a tie
    shares the cotangent equally. Floating-point sums are computed in blocks, in an order that depends only on types and extents
    (docs/sum-accuracy.md).

    Constraints: (C1) `dims` are distinct dimensions of the operand, ascending; (C2) and, or and xor accept i1 and integers, the
    other kinds numbers.
  }];
  let arguments = (ins Lathe_ReduceKindAttr:$kind, Lathe_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Lathe_Tensor:$result);
  let assemblyFormat = "$kind $operand `dims` $dims attr-dict `:` type($operand)";
  let hasFolder = 1;
  let extraClassDeclaration = [{
    ::llvm::SmallVector<int64_t> getReducedDims() { return ::llvm::SmallVector<int64_t>(getDims()); }
  }];
}

class Lathe_ArgExtremumOp<string mnemonic, string adjective>
    : Lathe_ValueOp<mnemonic, [Lathe_Hero, Lathe_ReadsOnce, Lathe_ReductionOpInterface]> {
  let summary = "The index of the " # adjective # " element along a dimension: the first of equal elements, or the first NaN if there is one";
  let description = "`lathe." # mnemonic # [{ %x dim 1 : tensor<?x10xf32>` is a `tensor<?xi32>`. Without elements it is 0.

    Constraints: (C1) `dim` is a dimension of the operand.
  }];
  let arguments = (ins Lathe_NumberTensor:$operand, I64Attr:$dim);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$operand `dim` $dim attr-dict `:` type($operand)";
  let extraClassDeclaration = [{
    ::llvm::SmallVector<int64_t> getReducedDims() { return {int64_t(getDim())}; }
  }];
}
def Lathe_ArgmaxOp : Lathe_ArgExtremumOp<"argmax", "largest">;
def Lathe_ArgminOp : Lathe_ArgExtremumOp<"argmin", "smallest">;

def Lathe_DotGeneralOp : Lathe_ValueOp<"dot_general", [Lathe_Hero]> {
  let summary = "Sums of products over the contracted dimensions";
  let description = [{
    The result's dimensions are the batch dimensions, then lhs's free ones, then rhs's free ones. Integers wrap in their own type;
    for wider sums, convert the operands. They are then widened when they are read, without a copy. `lathe.dot_general %a, %b
    contract [1] x [0] : tensor<?x64xf32>, tensor<64x10xf32>`; with `batch [0] x [0]` after it.

    Constraints: (C1) both operands have one element type; (C2) contract and batch lists pair up; (C3) their dimensions are distinct
    and exist; (C4) paired dimensions are equal.
  }];
  let arguments = (ins Lathe_NumberTensor:$lhs, Lathe_NumberTensor:$rhs, DenseI64ArrayAttr:$lhs_contract,
                       DenseI64ArrayAttr:$rhs_contract, DenseI64ArrayAttr:$lhs_batch, DenseI64ArrayAttr:$rhs_batch);
  let results = (outs Lathe_NumberTensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `contract` $lhs_contract `x` $rhs_contract custom<Batch>($lhs_batch, $rhs_batch) attr-dict
    `:` custom<Types>(type($lhs), type($rhs))
  }];
}

// The three linear maps of one trilinear form over x (the input), w (the filter) and y (the output):
//   sum of y[n, o..., f] * x[n, i..., c] * w[k..., c, f]  over all  i * input_dilation = o * stride + k * dilation - pad_low.
// conv computes the factor of y, conv_input_grad that of x, conv_filter_grad that of w. Each is linear in its two operands, and its
// transposes are the other two: the family is closed under derivatives of any order, for all strides, dilations and padding.
class Lathe_ConvolutionOp<string mnemonic> : Lathe_ValueOp<mnemonic, [Lathe_Hero, Lathe_ConvolutionOpInterface]> {
  let hasCustomAssemblyFormat = 1;
  let results = (outs Lathe_NumberTensor:$result);
  code geometry = [{
    /// Returns the strides, dilations, padding and groups of the convolution that this op belongs to.
    ::lathe::ConvolutionGeometry getGeometry() {
      return {getStrides(), getInputDilation(), getDilation(), getPadLow(), getPadHigh(), int64_t(getGroups())};
    }
  }];
  let extraClassDeclaration = geometry;
}

def Lathe_ConvOp : Lathe_ConvolutionOp<"conv"> {
  let summary = "Convolution (cross-correlation) of a batch of images with a filter";
  let description = [{
    input [N, spatial..., C], filter [spatial..., C / groups, F], result [N, spatial..., F]. Integers wrap in their own type; for
    wider sums, convert the operands. Output o and filter tap k read the input at p = o * stride + k * dilation - pad_low, divided
    by input_dilation. A term is omitted, not multiplied by zero, if p is not a multiple of input_dilation or is out of bounds.
    `lathe.conv %x, %w stride [2, 2] pad same : ...`; `pad [[0, 1], [1, 1]]` is low and high padding for each dimension, and `pad
    valid` no padding. Optional words follow: `dilation [2, 2]`, `input_dilation [2, 2]`, `groups 4`. `same` pads to ceil(extent /
    stride) outputs, with the odd element at the end; it cannot be used with input dilation. If its padding depends on a named size,
    import inserts a lathe.pad by that size before the op, so that these terms are multiplied by zero. Passes write `output [H, W]`
    before `stride` if the high padding is not a number: the result has these extents, and `pad_high` is 0.

    Constraints: (C1) operands have one number type; (C2) ranks agree and are at least 3; (C3) strides, dilations and padding have
    one entry for each spatial dimension; (C4) strides, dilations and groups are at least 1; (C5) the filter's input channels times
    groups are the input's channels; (C6) groups divide the output channels; (C7) no output extent is negative, which the entry
    checks for named ones: an extent may be 0, if the filter exceeds the padded input by up to a stride; (C8) `output` has one entry
    for each spatial dimension.
  }];
  let arguments = (ins Lathe_NumberTensor:$input, Lathe_NumberTensor:$filter, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, DenseI64ArrayAttr:$dilation,
                       DenseI64ArrayAttr:$input_dilation, I64Attr:$groups, OptionalAttr<Lathe_ShapeAttr>:$output_shape,
                       UnitAttr:$pad_same);
}

def Lathe_ConvInputGradOp : Lathe_ConvolutionOp<"conv_input_grad"> {
  let summary = "The transpose of a convolution in its input: from output cotangents to input cotangents";
  let description = [{
    Operand 0 [N, spatial..., F] has the shape of the output, the filter is as in conv, and the result is [N, input_shape..., C].
    `lathe.conv_input_grad %dy, %w input [16, 16] stride [1, 1] pad [[1, 1], [1, 1]] : ...`.

    Constraints: those of conv for the shapes of the form, and (C9) operand 0 has the shape that conv infers from `input`.
  }];
  let arguments = (ins Lathe_NumberTensor:$output, Lathe_NumberTensor:$filter, Lathe_ShapeAttr:$input_shape,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
                       DenseI64ArrayAttr:$dilation, DenseI64ArrayAttr:$input_dilation, I64Attr:$groups,
                       UnitAttr:$pad_same);
}

def Lathe_ConvFilterGradOp : Lathe_ConvolutionOp<"conv_filter_grad"> {
  let summary = "The transpose of a convolution in its filter: from the input and output cotangents to filter cotangents";
  let description = [{
    The input is [N, spatial..., C], operand 1 [N, spatial..., F] has the shape of the output, and the result is
    [filter_shape..., C / groups, F].
    `lathe.conv_filter_grad %x, %dy filter [3, 3] stride [1, 1] pad [[1, 1], [1, 1]] : ...`.

    Constraints: those of conv for the shapes of the form, and (C9) operand 1 has the shape that conv infers from `filter`.
  }];
  let arguments = (ins Lathe_NumberTensor:$input, Lathe_NumberTensor:$output, Lathe_ShapeAttr:$filter_shape,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
                       DenseI64ArrayAttr:$dilation, DenseI64ArrayAttr:$input_dilation, I64Attr:$groups,
                       UnitAttr:$pad_same);
}

#endif
