// Reductions, windows, sorts, products, linear algebra and random numbers.
#ifndef STABLEHLO_REDUCTION_TD
#define STABLEHLO_REDUCTION_TD

include "dialects/StableHLO/ShapeOps.td"

def StableHLO_ReduceOp : StableHLO_Op<"reduce", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<AnyType>:$inputs, Variadic<AnyType>:$init_values, List:$dimensions);
  let regions = (region AnyRegion:$body);
  let results = (outs Variadic<AnyType>:$outputs);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_ReduceWindowOp : StableHLO_Op<"reduce_window", [SameVariadicOperandSize]> {
  let arguments = (ins Variadic<AnyType>:$inputs, Variadic<AnyType>:$init_values, List:$window_dimensions,
                       OptionalAttr<List>:$window_strides, OptionalAttr<List>:$base_dilations,
                       OptionalAttr<List>:$window_dilations, OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region AnyRegion:$body);
  let results = (outs Variadic<AnyType>:$outputs);
}
def StableHLO_SelectAndScatterOp : StableHLO_Op<"select_and_scatter"> {
  let arguments = (ins AnyType:$operand, AnyType:$source, AnyType:$init_value, OptionalAttr<List>:$window_dimensions,
                       OptionalAttr<List>:$window_strides, OptionalAttr<I64ElementsAttr>:$padding);
  let regions = (region AnyRegion:$select, AnyRegion:$scatter);
  let results = (outs AnyType:$result);
}
def StableHLO_SortOp : StableHLO_Op<"sort"> {
  let arguments = (ins Variadic<AnyType>:$inputs, OptionalAttr<I64Attr>:$dimension, OptionalAttr<BoolAttr>:$is_stable);
  let regions = (region AnyRegion:$comparator);
  let results = (outs Variadic<AnyType>:$outputs);
}

// ---- Products

def StableHLO_DotOp : StableHLO_Op<"dot"> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, OptionalAttr<ArrayAttr>:$precision_config);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$lhs `,` $rhs `` custom<Precision>($precision_config)", Typed);
}
def StableHLO_DotGeneralOp : StableHLO_Op<"dot_general"> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, Numbers:$dot_dimension_numbers, OptionalAttr<ArrayAttr>:$precision_config,
                       OptionalAttr<AnyAttr>:$algorithm);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat([{
    $lhs `,` $rhs `,` custom<DotDimensions>($dot_dimension_numbers) ``
    custom<PrecisionAndAlgorithm>($precision_config, $algorithm)
  }], Typed);
}
class StableHLO_Convolution<string mnemonic, dag operands> : StableHLO_Op<mnemonic> {
  let arguments = !con(operands,
                       (ins OptionalAttr<List>:$window_strides),
                       !if(!eq(mnemonic, "convolution"), (ins OptionalAttr<I64ElementsAttr>:$padding), (ins)),
                       (ins OptionalAttr<List>:$lhs_dilation, OptionalAttr<List>:$rhs_dilation,
                            OptionalAttr<DenseBoolArrayAttr>:$window_reversal, Numbers:$dimension_numbers,
                            I64Attr:$feature_group_count, I64Attr:$batch_group_count,
                            OptionalAttr<ArrayAttr>:$precision_config));
  let results = (outs AnyType:$result);
}
def StableHLO_ConvolutionOp : StableHLO_Convolution<"convolution", (ins AnyType:$lhs, AnyType:$rhs)> {
  let assemblyFormat = !strconcat([{
    `(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,` `window` `=` `{`
    custom<ConvolutionWindow>($window_strides, $padding, $lhs_dilation, $rhs_dilation, $window_reversal) `}`
  }], Typed);
}
def StableHLO_DynamicConvOp : StableHLO_Convolution<"dynamic_conv", (ins AnyType:$lhs, AnyType:$rhs, AnyType:$padding)>;
def StableHLO_EinsumOp : StableHLO_Op<"einsum"> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, StrAttr:$einsum_config);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$lhs `,` $rhs `,` `config` `=` $einsum_config", Typed);
}
def StableHLO_UnaryEinsumOp : StableHLO_Op<"unary_einsum"> {
  let arguments = (ins AnyType:$operand, StrAttr:$einsum_config);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$operand `,` `config` `=` $einsum_config", Typed);
}

// ---- Linear algebra, normalisation, spectra

def StableHLO_CholeskyOp : StableHLO_Op<"cholesky"> {
  let arguments = (ins AnyType:$a, OptionalAttr<BoolAttr>:$lower);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $a (`,` `lower` `=` $lower^)? attr-dict `:` custom<EqualTypes>(type($a), type($result))
  }];
}
def StableHLO_TriangularSolveOp : StableHLO_Op<"triangular_solve"> {
  let arguments = (ins AnyType:$a, AnyType:$b, BoolAttr:$left_side, BoolAttr:$lower, BoolAttr:$unit_diagonal,
                       Word:$transpose_a);
  let results = (outs AnyType:$result);
}
def StableHLO_BatchNormInferenceOp : StableHLO_Op<"batch_norm_inference"> {
  let arguments = (ins AnyType:$operand, AnyType:$scale, AnyType:$offset, AnyType:$mean, AnyType:$variance, F32Attr:$epsilon,
                       I64Attr:$feature_index);
  let results = (outs AnyType:$result);
}
def StableHLO_BatchNormTrainingOp : StableHLO_Op<"batch_norm_training"> {
  let arguments = (ins AnyType:$operand, AnyType:$scale, AnyType:$offset, F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs AnyType:$output, AnyType:$batch_mean, AnyType:$batch_var);
}
def StableHLO_BatchNormGradOp : StableHLO_Op<"batch_norm_grad"> {
  let arguments = (ins AnyType:$operand, AnyType:$scale, AnyType:$mean, AnyType:$variance, AnyType:$grad_output,
                       F32Attr:$epsilon, I64Attr:$feature_index);
  let results = (outs AnyType:$grad_operand, AnyType:$grad_scale, AnyType:$grad_offset);
}
def StableHLO_FftOp : StableHLO_Op<"fft"> {
  let arguments = (ins AnyType:$operand, Word:$fft_type, List:$fft_length);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$operand `,` `type` `=` custom<Word>($fft_type) `,` `length` `=` $fft_length", Typed);
}

// ---- Random numbers

def StableHLO_RngBitGeneratorOp : StableHLO_Op<"rng_bit_generator"> {
  let arguments = (ins Word:$rng_algorithm, AnyType:$initial_state);
  let results = (outs AnyType:$output_state, AnyType:$output);
  let assemblyFormat = !strconcat("$initial_state `,` `algorithm` `=` custom<Word>($rng_algorithm)", Typed);
}
def StableHLO_RngOp : StableHLO_Op<"rng"> {
  let arguments = (ins AnyType:$a, AnyType:$b, AnyType:$shape, Word:$rng_distribution);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$a `,` $b `,` $shape `,` `distribution` `=` custom<Word>($rng_distribution)", Typed);
}

#endif
