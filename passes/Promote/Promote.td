// Halves are computed in f32, unsigned integers ordered as signed ones.
include "mlir/Pass/PassBase.td"

def PromotePass : Pass<"lathe-promote", "::mlir::func::FuncOp"> {
  let summary = "Compute f16 and bf16 in f32, order unsigned integers as signed";
  let description = [{
    An op that computes on f16 or bf16 gets its operands converted to f32 and rounds its result once, so that sums add up in
    f32. Ops that only move elements keep their type, and so do collectives, whose communicators add halves in f32. An op that orders elements, such as a maximum over a dimension, gets
    unsigned integers with the top bit inverted, as signed ones. Elementwise comparisons stay.

    Requires inferred dimensions.

    Guarantees that only ops that move elements, collectives and `lathe.convert`, from and to f32 and f64, have an f16 or bf16
    operand or result.
  }];
  let statistics = [
    Statistic<"promoted", "promoted", "ops that compute in f32 instead of f16 or bf16">,
    Statistic<"ordered", "ordered-as-signed", "ops that order unsigned integers as signed ones">
  ];
}
