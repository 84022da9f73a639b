#include "codegen/GPU/Hopper/Residues.h"
#include "codegen/GPU/Hopper/Strides.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::gpu;

namespace {
/// (row + sign * tap + first) % step == 0
struct Pair {
  unsigned row, tap;
  int64_t sign, first, step;
};
} // namespace

static std::optional<Pair> pairOf(const KernelLoops &loops, const Product &product, AffineExpr constraint, unsigned symbols) {
  auto remainder = dyn_cast<AffineBinaryOpExpr>(constraint);
  if (!remainder || remainder.getKind() != AffineExprKind::Mod || !isa<AffineConstantExpr>(remainder.getRHS()))
    return std::nullopt;
  std::optional<Strides> sum = Strides::of(remainder.getLHS(), loops.extents.size(), symbols);
  if (!sum)
    return std::nullopt;
  SmallVector<unsigned> rows, taps;
  for (auto [dim, step] : llvm::enumerate(sum->byLoop))
    if (step != 0)
      (llvm::is_contained(product.depth, dim) ? taps : rows).push_back(dim);
  if (rows.size() != 1 || taps.size() != 1 || !llvm::is_contained(product.rows, rows[0]) || sum->byLoop[rows[0]] != 1 ||
      std::abs(sum->byLoop[taps[0]]) != 1 || !loops.extents[rows[0]].isStatic() || !loops.extents[taps[0]].isStatic())
    return std::nullopt;
  return Pair{rows[0], taps[0], sum->byLoop[taps[0]], sum->first, cast<AffineConstantExpr>(remainder.getRHS()).getValue()};
}

ResidueLoops ResidueLoops::of(const KernelLoops &loops, const Product &product) {
  ResidueLoops split;
  split.loops = loops;
  NestOp nest = product.nest;
  MLIRContext *context = nest.getContext();
  SmallVector<AffineExpr> places;
  for (unsigned dim = 0; dim < loops.extents.size(); ++dim)
    places.push_back(getAffineDimExpr(dim, context));
  for (auto access : nest.getAccesses().getAsRange<AccessAttr>()) {
    split.maps.push_back(access.getMap().getValue());
    split.guards.push_back(access.getGuard().getValue());
  }
  IntegerSet guard = split.guards.front();
  for (auto [constraint, isEqual] : llvm::zip_equal(guard.getConstraints(), guard.getEqFlags())) {
    std::optional<Pair> pair = isEqual ? pairOf(loops, product, constraint, guard.getNumSymbols()) : std::nullopt;
    auto hasOne = [&](const Residue &other) { return other.dim == pair->row || other.tap == pair->tap; };
    if (!pair || llvm::any_of(split.residues, hasOne))
      continue;
    // tap = step * tap' + residue, and row = step * row' - sign * residue + first, which for row' = 0 is below the step.
    unsigned residue = split.loops.extents.size();
    int64_t step = pair->step, past = (pair->first % step + step) % step;
    int64_t first = pair->sign < 0 ? -past : (step - past) % step, more = pair->sign < 0 ? 0 : step - 1;
    Dim &rows = split.loops.extents[pair->row], &taps = split.loops.extents[pair->tap];
    split.residues.push_back({pair->row, residue, step, -pair->sign, first, rows, pair->tap, taps.constant()});
    rows = Dim((rows.constant() - 1 - first + more) / step + 1);
    taps = Dim(llvm::divideCeil(taps.constant(), step));
    split.loops.extents.push_back(Dim(step));
    AffineExpr inStep = getAffineDimExpr(residue, context);
    places[pair->row] = getAffineDimExpr(pair->row, context) * step - inStep * pair->sign + first;
    places[pair->tap] = getAffineDimExpr(pair->tap, context) * step + inStep;
  }
  if (split.residues.empty())
    return split;
  unsigned dims = split.loops.extents.size();
  for (auto [map, guard] : llvm::zip_equal(split.maps, split.guards)) {
    auto symbols = llvm::map_to_vector(llvm::seq(map.getNumSymbols()),
                                       [&](unsigned symbol) { return getAffineSymbolExpr(symbol, context); });
    map = simplifyAffineMap(map.replaceDimsAndSymbols(places, symbols, dims, symbols.size()));
    auto constraints = llvm::map_to_vector(guard.getConstraints(), [&](AffineExpr constraint) {
      return simplifyAffineExpr(constraint.replaceDimsAndSymbols(places, symbols), dims, symbols.size());
    });
    guard = IntegerSet::get(dims, symbols.size(), constraints, guard.getEqFlags());
  }
  return split;
}
