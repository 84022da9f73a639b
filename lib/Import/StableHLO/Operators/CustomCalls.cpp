// Custom calls whose results ops of Lathe compute: hints, assertions of shapes, stop_gradient, and the functions of LAPACK that
// JAX calls on CPUs.
#include "lib/Import/StableHLO/Operators/Operators.h"
#include "lib/Import/StableHLO/Sizes.h"

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

/// Converts an assertion about sizes. Two sizes that must be equal get one name; a lower bound of 1 is passed over, since each
/// size may be 0 here.
static void assertShapes(HloNode &node) {
  auto comparison = node.operand(0).getDefiningOp<CompareOp>();
  std::optional<Dims> lhs = comparison ? knownSizes(comparison.getLhs()) : std::nullopt,
                      rhs = comparison ? knownSizes(comparison.getRhs()) : std::nullopt;
  if (!lhs || !rhs || lhs->size() != 1 || rhs->size() != 1)
    return node.refuse("expected a comparison of sizes");
  if (comparison.getKind() != CompareKind::EQ || (*lhs)[0] == (*rhs)[0])
    return;
  for (auto [own, other] : {std::pair((*lhs)[0], (*rhs)[0]), std::pair((*rhs)[0], (*lhs)[0])}) {
    std::string name = own.str();
    SmallVector<std::string> others = namesIn(other);
    if (StringRef(name).contains("_dim") && node.program.dimSources.contains(name) && !llvm::is_contained(others, name)) {
      node.program.equalSizes.emplace(name, other);
      node.program.isAgain = true;
      return;
    }
  }
  node.refuse("the sizes " + (*lhs)[0].str() + " and " + (*rhs)[0].str() + " cannot be made equal");
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
