// Custom calls whose results ops of Lathe compute: hints, stop_gradient, and the functions of LAPACK that JAX calls on CPUs.
#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

/// Returns a letter of the configuration of a LAPACK call, such as 'L' for the lower triangle; 0 if it is missing.
static char letter(HloNode &node, StringRef name) {
  DictionaryAttr configuration = node.dictionary("mhlo.backend_config");
  auto value = configuration ? configuration.getAs<IntegerAttr>(name) : IntegerAttr();
  return value ? char(value.getValue().getZExtValue()) : 0;
}

/// Converts potrf: the Cholesky factor, and 0 if the matrix is positive definite, else 1.
static void cholesky(HloNode &node) {
  if (node.results() != 2 || node.rank(0) < 2)
    return node.refuse("expected matrices, and a factor and a status");
  Value factored = factor(node, node.operand(0), letter(node, "uplo") == 'L');
  int64_t rank = node.rank(0);
  Value isBad = node.reduce(ReduceKind::Or, node.emit<IsNanOp>(factored), range(rank - 2, rank), /*keep=*/false);
  node.set(ValueRange{factored, node.convert(isBad, node.resultElement(1))});
}

/// Converts trsm: the solution of a triangular system.
static void triangularSolve(HloNode &node) {
  node.set(0, solveTriangular(node, node.operand(0), node.operand(1), letter(node, "side") == 'R', letter(node, "uplo") == 'U',
                              letter(node, "trans_x") != 'N', letter(node, "diag") == 'U'));
}

void hloimport::customCall(HloNode &node) {
  StringRef target = node.word("call_target_name");
  if (target == "Sharding" || target == "annotate_device_placement") // hints to a compiler for several devices
    return node.set(node.operandRange(0, node.operands()));
  if (target == "lathe.stop_gradient" && node.operands() > 0) // the Python package writes it; operands may follow with sizes
    return node.set(0, node.emit<StopGradientOp>(node.operand(0)));
  if (target == "stablehlo.dynamic_reduce_window")
    return dynamicReduceWindow(node);
  if (target == "shape_assertion")
    return assertShapes(node);
  if (target == "lapack_spotrf_ffi" || target == "lapack_dpotrf_ffi")
    return cholesky(node);
  if (target == "lapack_strsm_ffi" || target == "lapack_dtrsm_ffi")
    return triangularSolve(node);
  node.refuse("the custom call '" + target + "' is not supported; compute its results with ops");
}
