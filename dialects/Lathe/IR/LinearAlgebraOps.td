// Systems of equations, in the last two dimensions; the ones before are a batch.
#ifndef LATHE_LINEAR_ALGEBRA_OPS_TD
#define LATHE_LINEAR_ALGEBRA_OPS_TD

include "dialects/Lathe/IR/LatheAttributes.td"

def Lathe_TriangularSolveOp : Lathe_ValueOp<"triangular_solve", [Lathe_OwnKernel]> {
  let summary = "The X of a X = b, where a is triangular";
  let description = [{
    `lathe.triangular_solve %a, %b : tensor<?x4x4xf32>, tensor<?x4x3xf32>` takes the lower triangle of a. Words after the operands
    change that, in this order: `right` for X a = b, `upper`, `transposed` for the transpose of a, `unit` for a diagonal of ones
    that is not read. What lies outside of the triangle is not read either. A zero on the diagonal divides.

    Constraints: (C1) a and b have one float type; (C2) their ranks are equal and at least 2; (C3) their batch dimensions agree;
    (C4) a is square; (C5) its extent is that of b's rows, or with `right` of b's columns.
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
  let summary = "The lower triangular l with l times its transpose equal to a symmetric positive definite a";
  let description = [{
    `lathe.cholesky %a : tensor<?x4x4xf32>`. Only the lower triangle of a is read, and it alone gets a cotangent; above the
    diagonal the result is zero. Of a matrix that is not positive definite the result has NaN from the first row on where that
    shows.

    Constraints: (C1) the rank is at least 2; (C2) the last two dimensions are equal.
  }];
  let arguments = (ins Lathe_FloatTensor:$a);
  let results = (outs Lathe_FloatTensor:$result);
  let assemblyFormat = "$a attr-dict `:` type($a)";
}

#endif
