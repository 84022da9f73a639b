// All ops of the dialect `stablehlo`: control, calls and communication here, the other families in their own files.
#ifndef STABLEHLO_OPS_TD
#define STABLEHLO_OPS_TD

include "dialects/StableHLO/ElementwiseOps.td"
include "dialects/StableHLO/ReductionOps.td"

def StableHLO_ReturnOp : StableHLO_Op<"return", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "$results attr-dict (`:` type($results)^)?";
}
def StableHLO_WhileOp : StableHLO_Op<"while"> {
  let arguments = (ins Variadic<AnyType>:$operand);
  let regions = (region AnyRegion:$cond, AnyRegion:$body);
  let results = (outs Variadic<AnyType>:$outputs);
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_IfOp : StableHLO_Op<"if"> {
  let arguments = (ins AnyType:$pred);
  let regions = (region AnyRegion:$true_branch, AnyRegion:$false_branch);
  let results = (outs Variadic<AnyType>:$outputs);
}
def StableHLO_CaseOp : StableHLO_Op<"case"> {
  let arguments = (ins AnyType:$index);
  let regions = (region VariadicRegion<AnyRegion>:$branches);
  let results = (outs Variadic<AnyType>:$outputs);
}
def StableHLO_OptimizationBarrierOp : StableHLO_Op<"optimization_barrier"> {
  let arguments = (ins Variadic<AnyType>:$operand);
  let results = (outs Variadic<AnyType>:$result);
  let assemblyFormat = [{
    attr-dict ($operand^ `:` custom<PairedTypes>(type($operand), type($result))):(`(` `)`)?
  }];
}
def StableHLO_CompositeOp : StableHLO_Op<"composite"> {
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$name, OptionalAttr<DictionaryAttr>:$composite_attributes,
                       FlatSymbolRefAttr:$decomposition, OptionalAttr<I32Attr>:$version);
  let regions = (region VariadicRegion<AnyRegion>:$composite_regions);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = !strconcat("$name operands (` ` `(` $composite_regions^ `)`)?", Typed);
}
def StableHLO_CustomCallOp : StableHLO_Op<"custom_call"> {
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$call_target_name, OptionalAttr<BoolAttr>:$has_side_effect,
                       OptionalAttr<AnyAttr>:$backend_config, OptionalAttr<AnyAttr>:$api_version,
                       OptionalAttr<ArrayAttr>:$called_computations, OptionalAttr<ArrayAttr>:$operand_layouts,
                       OptionalAttr<ArrayAttr>:$result_layouts, OptionalAttr<ArrayAttr>:$output_operand_aliases,
                       OptionalAttr<ArrayAttr>:$result_tilings);
  let results = (outs Variadic<AnyType>:$outputs);
  let assemblyFormat = !strconcat("custom<CallTarget>($call_target_name) `(` $inputs `)`", Typed);
}
def StableHLO_TupleOp : StableHLO_Op<"tuple"> {
  let arguments = (ins Variadic<AnyType>:$val);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleTypes>(type($val), type($result))";
}
def StableHLO_GetTupleElementOp : StableHLO_Op<"get_tuple_element"> {
  let arguments = (ins AnyType:$operand, I32Attr:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = !strconcat("$operand `[` $index `]`", Typed);
}

// ---- Communication. Other attributes are not read.

class StableHLO_Communication<string mnemonic> : StableHLO_Op<mnemonic> {
  let arguments = (ins Variadic<AnyType>:$operands_and_tokens, OptionalAttr<AnyAttr>:$channel_handle,
                       OptionalAttr<AnyAttr>:$replica_groups, OptionalAttr<AnyAttr>:$source_target_pairs,
                       OptionalAttr<AnyAttr>:$all_gather_dim, OptionalAttr<AnyAttr>:$scatter_dimension,
                       OptionalAttr<AnyAttr>:$split_dimension, OptionalAttr<AnyAttr>:$concat_dimension);
  let regions = (region VariadicRegion<AnyRegion>:$rest);
  let results = (outs Variadic<AnyType>:$outputs);
}
foreach name = ["infeed", "outfeed", "send", "recv", "all_gather", "all_reduce", "reduce_scatter", "all_to_all",
                "collective_broadcast", "collective_permute", "collective_reduce", "async_start", "async_done",
                "cross-replica-sum"] in
  def StableHLO_Communication_#!subst("-", "_", name) : StableHLO_Communication<name>;
class StableHLO_Token<string mnemonic> : StableHLO_Op<mnemonic> {
  let results = (outs AnyType:$output);
  let assemblyFormat = "attr-dict `:` type(results)";
}
foreach name = ["replica_id", "partition_id", "create_token"] in
  def StableHLO_Token_#name : StableHLO_Token<name>;
def StableHLO_AfterAllOp : StableHLO_Op<"after_all"> {
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$inputs attr-dict `:` custom<VariadicEqualTypes>(ref($inputs), type($inputs), type($result))";
}

#endif
