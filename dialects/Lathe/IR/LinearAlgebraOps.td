// Linear algebra. Matrices are in the last two dimensions; the dimensions before them are a batch.
#ifndef LATHE_LINEAR_ALGEBRA_OPS_TD
#define LATHE_LINEAR_ALGEBRA_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_TriangularSolveOp : Lathe_ValueOp<"triangular_solve", [Lathe_OwnKernel]> {
  let summary = "The solution X of a X = b for a triangular a";
  let description = [{
    `lathe.triangular_solve %a, %b : tensor<?x4x4xf32>, tensor<?x4x3xf32>` uses the lower triangle of a. Words after the operands
    change this, in this order: `right` solves X a = b, `upper` uses the upper triangle, `transposed` the transpose of a, and `unit`
    a diagonal of ones, which is not read. Elements outside of the triangle are not read either. A zero on the diagonal is a
    division by zero.

    Constraints: (C1) a and b have one float type; (C2) their ranks are equal and at least 2; (C3) their batch dimensions agree;
    (C4) a is square; (C5) its extent equals the number of b's rows, or with `right` of b's columns.
  }];
  let arguments = (ins Lathe_FloatTensor:$a, Lathe_FloatTensor:$b, UnitAttr:$right, UnitAttr:$upper, UnitAttr:$transposed,
                       UnitAttr:$unit);
  let results = (outs Lathe_FloatTensor:$result);
  let assemblyFormat = [{
    $a `,` $b (`right` $right^)? (`upper` $upper^)? (`transposed` $transposed^)? (`unit` $unit^)? attr-dict
    `:` type($a) `,` type($b)
  }];
}

def Lathe_CholeskyOp : Lathe_ValueOp<"cholesky", [Lathe_OwnKernel]> {
  let summary = "The lower triangular l whose product with its transpose is a symmetric positive definite a";
  let description = [{
    `lathe.cholesky %a : tensor<?x4x4xf32>`. Only the lower triangle of a is read and has a cotangent. The result is zero above the
    diagonal. If a matrix is not positive definite, the result has NaN from the first row on whose pivot is not positive.

    Constraints: (C1) the rank is at least 2; (C2) the last two dimensions are equal.
  }];
  let arguments = (ins Lathe_FloatTensor:$a);
  let results = (outs Lathe_FloatTensor:$result);
  let assemblyFormat = "$a attr-dict `:` type($a)";
}

#endif
