// Collective ops: values that the ranks of a job exchange.
//
// The ranks run the same entry at the same time, each with values of its own. They form a mesh of named axes; a collective works
// along one of them, among the ranks that differ only in their index along that axis. An axis is also a named dimension, its number
// of ranks: `over data` stands for the size that the entry is called with, `over data = 4` fixes it. All ranks must come to the same
// collectives in the same order, so a branch or loop around one must go the same way on all of them.
#ifndef LATHE_COLLECTIVE_OPS_TD
#define LATHE_COLLECTIVE_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

// The common form: an axis by name, and its size as a shape of one dimension.
class Lathe_CollectiveOp<string mnemonic, list<Trait> traits, dag parameters>
    : Lathe_ValueOp<mnemonic, !listconcat([Lathe_OwnKernel, Lathe_CollectiveOpInterface], traits)> {
  let arguments = !con(parameters, (ins StrAttr:$axis, Lathe_ShapeAttr:$size));
  let results = (outs Lathe_Tensor:$result);
  let hasFolder = 1;
}

// A collective whose result may have the axis' name in its shape, so that its text is that of a naming op.
class Lathe_GatheringOp<string mnemonic, dag parameters>
    : Lathe_NamingOp<mnemonic, [Lathe_OwnKernel, Lathe_CollectiveOpInterface, Lathe_MovesElementsTrait]> {
  let arguments = !con((ins Lathe_Tensor:$operand), parameters, (ins StrAttr:$axis, Lathe_ShapeAttr:$size));
  let results = (outs Lathe_Tensor:$result);
  let hasFolder = 1;
}

def Lathe_AllReduceOp : Lathe_CollectiveOp<"all_reduce", [], (ins Lathe_CollectiveKindAttr:$kind, Lathe_NumberTensor:$operand)> {
  let summary = "The values of all ranks of an axis, combined element by element, on each of them";
  let description = [{
    `lathe.all_reduce sum %x over data : tensor<?x16xf32>`. The kinds are sum, mean, max and min. A sum is a balanced tree over the
    ranks in ascending order, which splits n values after the largest power of two below n. Each addition rounds to the element
    type; halves are added in f32 and rounded once. So the result's bits are the same on all ranks and in all runs with as many
    ranks. A mean is the sum divided by the number of ranks. max and min are NaN if a value is, and a tie shares the cotangent
    equally.

    The derivative is that of the function from the values of all ranks to the results of all ranks: the cotangent of a sum's
    operand is the sum of the cotangents of all ranks.

    Constraints: (C1) the axis has at least one rank; (C2) a mean is of floats; (C3) the axis' name is a C identifier.
  }];
  let assemblyFormat = "$kind $operand custom<Axis>($axis, $size) attr-dict `:` type($operand)";
}

def Lathe_ReduceScatterOp : Lathe_CollectiveOp<"reduce_scatter", [],
                                               (ins Lathe_CollectiveKindAttr:$kind, Lathe_NumberTensor:$operand, I64Attr:$dim)> {
  let summary = "This rank's part, along a dimension, of the values of all ranks combined element by element";
  let description = [{
    `lathe.reduce_scatter sum %x dim 0 over data = 4 : tensor<8x16xf32>` is a `tensor<2x16xf32>`: of the result of lathe.all_reduce,
    with the same bits, the rank with index r has part r. It is the transpose of lathe.all_gather.

    Constraints: (C1) the axis has at least one rank; (C2) a mean is of floats; (C3) the axis' name is a C identifier; (C4) `dim` is a
    dimension of the operand; (C5) the axis' size divides its extent, as an expression of the named dimensions.
  }];
  let assemblyFormat = "$kind $operand `dim` $dim custom<Axis>($axis, $size) attr-dict `:` type($operand)";
}

def Lathe_AllGatherOp : Lathe_GatheringOp<"all_gather", (ins I64Attr:$dim)> {
  let summary = "The values of all ranks of an axis, one after the other along a dimension, on each of them";
  let description = [{
    `lathe.all_gather %x dim 0 over data = 4 : tensor<2x16xf32>` is a `tensor<8x16xf32>`: part r is the value of the rank with
    index r. Over an open axis the extent is `2 * data`. It is the transpose of lathe.reduce_scatter.

    Constraints: (C1) the axis has at least one rank; (C2) the axis' name is a C identifier; (C3) `dim` is a dimension of the
    operand; (C4) the extent fits 63 bits.
  }];
}

def Lathe_AllToAllOp : Lathe_GatheringOp<"all_to_all", (ins I64Attr:$split, I64Attr:$concat)> {
  let summary = "Part r of each rank's value, along one dimension, sent to rank r, which joins them along another";
  let description = [{
    `lathe.all_to_all %x split 0 concat 1 over data = 4 : tensor<8x16xf32>` is a `tensor<2x64xf32>`: each rank cuts its value into
    as many parts along `split` as there are ranks and sends part r to the rank with index r, which joins what it receives, by the
    senders' indices, along `concat`. Its transpose is the same op with `split` and `concat` exchanged.

    Constraints: (C1) the axis has at least one rank; (C2) the axis' name is a C identifier; (C3) `split` and `concat` are dimensions
    of the operand; (C4) the axis' size divides the extent of `split`, as an expression of the named dimensions; (C5) the extent of
    `concat` fits 63 bits.
  }];
}

def Lathe_CollectiveBroadcastOp : Lathe_CollectiveOp<"collective_broadcast", [Lathe_MovesElementsTrait],
                                                     (ins Lathe_Tensor:$operand, I64Attr:$root)> {
  let summary = "The value of one rank of an axis, on each of them";
  let description = [{
    `lathe.collective_broadcast %x from 0 over data : tensor<?xf32>` is the value of the rank with index 0. The cotangent of its
    operand is the sum of the cotangents of all ranks on that rank, and 0 on the others.

    Constraints: (C1) the axis has at least one rank; (C2) the axis' name is a C identifier; (C3) the root is an index of the axis.
  }];
  let assemblyFormat = "$operand `from` $root custom<Axis>($axis, $size) attr-dict `:` type($operand)";
}

def Lathe_CollectivePermuteOp : Lathe_CollectiveOp<"collective_permute", [Lathe_MovesElementsTrait],
                                                   (ins Lathe_Tensor:$operand, I64Attr:$shift)> {
  let summary = "The value of the rank that is some places before this one along an axis";
  let description = [{
    `lathe.collective_permute %x shift 1 over stage : tensor<?xf32>` sends the value of the rank with index r to the rank with index
    r + 1; the last one sends to the first. Shifts are taken modulo the axis' size and may be negative. Its transpose shifts back.

    Constraints: (C1) the axis has at least one rank; (C2) the axis' name is a C identifier.
  }];
  let assemblyFormat = "$operand `shift` $shift custom<Axis>($axis, $size) attr-dict `:` type($operand)";
}

def Lathe_AxisIndexOp : Lathe_CollectiveOp<"axis_index", [], (ins)> {
  let summary = "This rank's index along an axis";
  let description = [{
    `lathe.axis_index over data : tensor<i64>` is 0 on the first rank. The number of ranks is the dimension `data`.

    Constraints: (C1) the axis has at least one rank; (C2) the axis' name is a C identifier.
  }];
  let results = (outs 0DTensorOf<[I64]>:$result);
  let assemblyFormat = "custom<Axis>($axis, $size) attr-dict `:` type($result)";
}

#endif
