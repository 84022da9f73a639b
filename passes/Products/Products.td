// Products of three factors are computed in their cheapest order.
include "mlir/Pass/PassBase.td"

def OrderProductsPass : Pass<"lathe-order-products", "::mlir::func::FuncOp"> {
  let summary = "Compute products of three factors in the cheapest order";
  let description = [{
    A `lathe.dot_general` of another one's result is a sum over products of three factors, and any two of them may be multiplied
    first. Where another order has fewer multiplications, and fewer elements to store and read again, the two ops become products
    in that order. Factors that share a dimension and contract none are multiplied by a `lathe.mul`. A transpose between the two
    ops is part of the relation; the inner product has no other use.

    A named dimension counts as 8 and as 4096, and the new order must be cheaper both times.

    Requires inferred dimensions and explicit broadcasts.

    Guarantees a sum of the same products of f32 or f64; their factors are multiplied in another order, and so are the terms added.
  }];
  let statistics = [Statistic<"reordered", "reordered", "products of products that got another order">];
}
