// Ops over windows that slide along all dimensions of a tensor.
//
// Tap k of the window for result index o reads index p = o * stride + k * dilation - low of the operand with base_dilation - 1
// holes after each element: that is operand index p / base_dilation, if p is a multiple of it and that index is in bounds. Padding
// may differ on both sides and may be negative. Taps are numbered in row-major order.
#ifndef LATHE_WINDOW_OPS_TD
#define LATHE_WINDOW_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

class Lathe_WindowOp<string mnemonic> : Lathe_ValueOp<mnemonic, [Lathe_Hero]> {
  string relations = [{(C1) every list of the window has one entry for each dimension; (C2) sizes, strides and dilations are at
    least 1; (C3) no extent of the result is negative}];
}

def Lathe_ReduceWindowOp : Lathe_WindowOp<"reduce_window"> {
  let summary = "The elements of each window, combined into one";
  let description = [{
    `lathe.reduce_window max %x window [1, 3, 3, 1] stride [1, 2, 2, 1] pad [[0, 0], [0, 1], [0, 1], [0, 0]] :
    tensor<?x16x16x8xf32>`; then optional `dilation [1, 2, 2, 1]` and `base_dilation [1, 2, 2, 1]`. Kinds: sum, product, max, min.
    Padding and holes are not elements: a window without elements has the result of a reduction without elements. For a mean, divide
    the sum by the window's size, or by a window sum of ones so that padding does not count. The derivative of max and min is that
    of the first extremum.

    Constraints: }] # relations # [{; (C5) the kind combines numbers.
  }];
  let arguments = (ins Lathe_ReduceKindAttr:$kind, Lathe_NumberTensor:$operand, Lathe_WindowAttr:$window);
  let results = (outs Lathe_NumberTensor:$result);
  let assemblyFormat = "$kind $operand custom<Window>($window) attr-dict `:` type($operand)";
  let hasFolder = 1;
}

def Lathe_WindowIndexOp : Lathe_WindowOp<"window_index"> {
  let summary = "The tap that reads the largest or smallest element of each window: the first of equal elements, or the first NaN if there is one";
  let description = [{
    `lathe.window_index max %x window [1, 2] stride [1, 2] : tensor<?x16xf32>`. A tap that reads no element counts as the neutral
    element, so a window without elements has tap 0.

    Constraints: }] # relations # [{; (C5) the kind is max or min.
  }];
  let arguments = (ins Lathe_ReduceKindAttr:$kind, Lathe_NumberTensor:$operand, Lathe_WindowAttr:$window);
  let results = (outs RankedTensorOf<[I32]>:$result);
  let assemblyFormat = "$kind $operand custom<Window>($window) attr-dict `:` type($operand)";
}

def Lathe_WindowGatherOp : Lathe_WindowOp<"window_gather"> {
  let summary = "The element that a given tap of each window reads; zero if it reads none";
  let description = [{
    `lathe.window_gather %x, %taps window [1, 2] stride [1, 2] : tensor<?x16xf32>, tensor<?x8xi32>`. For a tap number outside
    of the window, the result is zero. The element is added to 0, so that -0 becomes 0.

    Constraints: }] # relations # [{; (C5) taps has the result's shape.
  }];
  let arguments = (ins Lathe_NumberTensor:$operand, RankedTensorOf<[I32]>:$taps, Lathe_WindowAttr:$window);
  let results = (outs Lathe_NumberTensor:$result);
  let assemblyFormat = "$operand `,` $taps custom<Window>($window) attr-dict `:` type($operand) `,` type($taps)";
}

def Lathe_WindowScatterOp : Lathe_WindowOp<"window_scatter"> {
  let summary = "The transpose of window_gather: each element is added to the one that the given tap of its window reads";
  let description = [{
    `lathe.window_scatter %dy, %taps to [N, 16] window [1, 2] stride [1, 2] : tensor<?x8xf32>, tensor<?x8xi32>`. Each sum is
    computed in the order of the taps.

    Constraints: }] # relations # [{; (C5) the operand has the shape of a window op's result for `shape`; (C6) taps has the operand's
    shape.
  }];
  let arguments = (ins Lathe_NumberTensor:$operand, RankedTensorOf<[I32]>:$taps, Lathe_ShapeAttr:$shape, Lathe_WindowAttr:$window);
  let results = (outs Lathe_NumberTensor:$result);
  let assemblyFormat = [{
    $operand `,` $taps `to` custom<Shape>($shape) custom<Window>($window) attr-dict `:` type($operand) `,` type($taps)
  }];
}

#endif
