// All ops of the dialect `chlo`.
#ifndef CHLO_OPS_TD
#define CHLO_OPS_TD

include "dialects/StableHLO/StableHLO.td"

class Chlo_Unary<string mnemonic> : Chlo_Op<mnemonic> {
  let arguments = (ins AnyType:$operand);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
foreach name = ["acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "conj", "cosh", "sinh", "tan", "digamma", "erf",
                "erf_inv", "erfc", "is_inf", "is_neg_inf", "is_pos_inf", "lgamma", "square", "_asin_acos_kernel"] in
  def Chlo_Unary_#name : Chlo_Unary<name>;

class Chlo_Binary<string mnemonic> : Chlo_Op<mnemonic> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}
foreach name = ["next_after", "polygamma", "zeta", "mulhi"] in
  def Chlo_Binary_#name : Chlo_Binary<name>;

// The shapes of the operands broadcast.
class Chlo_Broadcasting<string mnemonic> : Chlo_Op<mnemonic> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, OptionalAttr<List>:$broadcast_dimensions);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` `(` type($lhs) `,` type($rhs) `)` `->` type($result)";
}
foreach name = ["add", "and", "atan2", "complex", "divide", "maximum", "minimum", "multiply", "next_after", "or", "polygamma",
                "power", "remainder", "shift_left", "shift_right_arithmetic", "shift_right_logical", "subtract", "xor",
                "zeta"] in
  def Chlo_Broadcasting_#name : Chlo_Broadcasting<"broadcast_" # name>;
def Chlo_BroadcastCompareOp : Chlo_Broadcasting<"broadcast_compare"> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, OptionalAttr<List>:$broadcast_dimensions, Word:$comparison_direction,
                       OptionalAttr<Word>:$compare_type);
}
def Chlo_BroadcastSelectOp : Chlo_Op<"broadcast_select"> {
  let arguments = (ins AnyType:$pred, AnyType:$on_true, AnyType:$on_false);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $pred `,` $on_true `,` $on_false attr-dict `:` `(` type($pred) `,` type($on_true) `,` type($on_false) `)` `->`
    type($result)
  }];
}

def Chlo_ConstantOp : Chlo_Op<"constant"> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyType:$output);
}
def Chlo_ConstantLikeOp : Chlo_Op<"constant_like"> {
  let arguments = (ins AnyAttr:$value, AnyType:$operand);
  let results = (outs AnyType:$result);
}
def Chlo_TopKOp : Chlo_Op<"top_k"> {
  let arguments = (ins AnyType:$operand, I64Attr:$k); // and is_stable, which is passed over: versions differ in having it
  let results = (outs AnyType:$values, AnyType:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k custom<IgnoredStability>(ref($k)) `)` attr-dict `:` type($operand) `->`
    `(` type($values) `,` type($indices) `)`
  }];
}
def Chlo_RaggedDotOp : Chlo_Op<"ragged_dot"> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs, AnyType:$group_sizes, Numbers:$ragged_dot_dimension_numbers,
                       OptionalAttr<ArrayAttr>:$precision_config);
  let results = (outs AnyType:$result);
}
def Chlo_ScanOp : Chlo_Op<"scan", [AttrSizedOperandSegments, AttrSizedResultSegments]> {
  let arguments = (ins Variadic<AnyType>:$inputs, Variadic<AnyType>:$inits, I64Attr:$dimension,
                       OptionalAttr<I64Attr>:$scan_dim_size, OptionalAttr<BoolAttr>:$is_reverse,
                       OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<AnyType>:$outputs, Variadic<AnyType>:$carries);
  let regions = (region AnyRegion:$body);
  let hasCustomAssemblyFormat = 1;
}

#endif
