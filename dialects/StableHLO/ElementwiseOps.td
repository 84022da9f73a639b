// Elementwise ops, whose text has one type if all types are equal.
#ifndef STABLEHLO_ELEMENTWISE_TD
#define STABLEHLO_ELEMENTWISE_TD

include "dialects/StableHLO/StableHLO.td"

class StableHLO_Unary<string mnemonic> : StableHLO_Op<mnemonic> {
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<EqualTypes>(type($operand), type($result))";
}
// A function whose accuracy a program may ask for.
class StableHLO_Function<string mnemonic> : StableHLO_Unary<mnemonic> {
  let arguments = (ins AnyType:$operand, OptionalAttr<AnyAttr>:$result_accuracy);
}
class StableHLO_Binary<string mnemonic> : StableHLO_Op<mnemonic> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<EqualTypes>(type($lhs), type($rhs), type($result))";
}

foreach name = ["abs", "ceil", "convert", "count_leading_zeros", "floor", "imag", "is_finite", "not", "negate", "popcnt", "real",
                "round_nearest_afz", "round_nearest_even", "sign", "uniform_quantize", "uniform_dequantize"] in
  def StableHLO_Unary_#name : StableHLO_Unary<name>;
foreach name = ["cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "rsqrt", "sine",
                "sqrt", "tan", "tanh"] in
  def StableHLO_Function_#name : StableHLO_Function<name>;
def StableHLO_ComplexOp : StableHLO_Op<"complex"> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<ComplexTypes>(type($lhs), type($rhs), type($result))";
}
foreach name = ["add", "and", "atan2", "divide", "maximum", "minimum", "multiply", "or", "power", "remainder",
                "shift_left", "shift_right_arithmetic", "shift_right_logical", "subtract", "xor"] in
  def StableHLO_Binary_#name : StableHLO_Binary<name>;

def StableHLO_CompareOp : StableHLO_Op<"compare"> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, Word:$comparison_direction, OptionalAttr<Word>:$compare_type);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    custom<Word>($comparison_direction) `,` $lhs `,` $rhs (`,` custom<OptionalWord>($compare_type)^)? attr-dict `:`
    functional-type(operands, results)
  }];
}
def StableHLO_SelectOp : StableHLO_Op<"select"> {
  let arguments = (ins AnyType:$pred, AnyType:$on_true, AnyType:$on_false);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    operands attr-dict `:` custom<SelectTypes>(type($pred), type($on_true), type($on_false), type($result))
  }];
}
def StableHLO_ClampOp : StableHLO_Op<"clamp"> {
  let arguments = (ins AnyType:$min, AnyType:$operand, AnyType:$max);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:` custom<EqualTypes>(type($min), type($operand), type($max), type($result))
  }];
}
def StableHLO_ReducePrecisionOp : StableHLO_Op<"reduce_precision"> {
  let arguments = (ins AnyType:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs AnyType:$output);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<FloatFormat>($exponent_bits, $mantissa_bits) attr-dict `:`
    custom<EqualTypes>(type($operand), type($output))
  }];
}
def StableHLO_MapOp : StableHLO_Op<"map"> {
  let arguments = (ins Variadic<AnyType>:$inputs, List:$dimensions);
  let regions = (region AnyRegion:$computation);
  let results = (outs AnyType:$result);
}

#endif
