#include "codegen/Points/LeafAccesses.h"
#include "dialects/Lathe/IR/AffineDims.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/KernelAttributes.h"

using namespace mlir;
using namespace lathe;

bool lathe::isOfNests(KernelOp kernel) {
  return !kernel->hasAttr(kRowsAttr) && !kernel->hasAttr(kItemsAttr) &&
         llvm::all_of(kernel.getBody().front().without_terminator(), llvm::IsaPred<NestOp, ScratchOp>);
}

FailureOr<KernelLoops> lathe::analyseLoops(KernelOp kernel) {
  KernelLoops loops;
  llvm::append_range(loops.roots, kernel.getBody().front().getTerminator()->getOperands());
  loops.extents = dimsOf(loops.roots.front());
  loops.parallel = loops.extents.size();
  loops.operands = kernel.getBody().getNumArguments();
  loops.sizedUnits = kernel->getAttrOfType<ArrayAttr>(kSizedUnitsAttr);
  for (Value root : loops.roots)
    if (dimsOf(root) != loops.extents)
      return kernel.emitOpError("has results of different shapes: ") << str(loops.extents) << " and " << str(dimsOf(root)),
             failure();
  for (auto nest : kernel.getBody().getOps<NestOp>()) {
    if (nest.getReduction() == NestReduction::None)
      continue;
    if (loops.reduction)
      return kernel.emitOpError("has two reductions"), failure();
    loops.reduction = nest;
  }
  if (loops.reduction) {
    Dims extents = dimsOf(loops.reduction.getExtents());
    if (dimsOf(loops.reduction.getResult()) != loops.extents)
      return kernel.emitOpError("has results of another shape than its reduction"), failure();
    loops.extents = extents;
  }
  loops.symbols = symbolsOf(kernel);
  return loops;
}

SmallVector<std::string> lathe::symbolsOf(KernelOp kernel) {
  SmallVector<std::string> symbols;
  auto addNames = [&](ArrayRef<Dim> dims) {
    for (const Dim &dim : dims)
      collectFactors(dim, symbols);
  };
  for (Value argument : kernel.getBody().getArguments())
    addNames(dimsOf(argument));
  for (Operation &op : kernel.getBody().front()) // ops other than nests contribute the sizes of their results
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()))
        addNames(dimsOf(result));
  kernel.getBody().walk([&](NestOp nest) {
    addNames(dimsOf(nest.getExtents()));
    for (auto name : nest.getSymbols().getAsRange<StringAttr>())
      if (!llvm::is_contained(symbols, name.getValue()))
        symbols.push_back(name.getValue().str());
    nest.walk([&](ExtentOp extent) { addNames(Dim::fromAttr(extent.getDim())); });
  });
  llvm::sort(symbols);
  return symbols;
}

namespace {
class Collector {
public:
  Collector(const KernelLoops &loops, SmallVectorImpl<LeafAccess> &found) : loops(loops), found(found) {}

  void visit(Value tensor, ArrayRef<AffineExpr> indices, bool inReduction = false) {
    auto nest = tensor.getDefiningOp<NestOp>();
    if (!nest) {
      addLeaf(tensor, indices, cast<BlockArgument>(tensor).getArgNumber(), false, inReduction);
      return;
    }
    SmallVector<AffineExpr> dims(indices);
    if (nest == loops.reduction)
      for (size_t i = dims.size(); i < loops.extents.size(); ++i)
        dims.push_back(getAffineDimExpr(i, tensor.getContext()));
    constexpr unsigned kMostVisits = 512;
    if (++visits > kMostVisits)
      return;
    SmallVector<AffineExpr> symbols;
    for (Attribute name : nest.getSymbols())
      symbols.push_back(symbol(cast<StringAttr>(name).getValue()));
    for (auto [attr, input] : llvm::zip_equal(nest.getAccesses(), nest.getInputs())) {
      SmallVector<AffineExpr> inner;
      for (AffineExpr expr : cast<AccessAttr>(attr).getMap().getValue().getResults())
        inner.push_back(expr.replaceDimsAndSymbols(dims, symbols));
      visit(input, inner, inReduction || nest == loops.reduction);
    }
  }

  /// `number` counts the kernel's operands, then its results.
  void addLeaf(Value tensor, ArrayRef<AffineExpr> indices, unsigned number, bool isWrite, bool inReduction = false) {
    LeafAccess leaf{
        cast<RankedTensorType>(tensor.getType()), getAffineConstantExpr(0, tensor.getContext()), {}, isWrite, inReduction};
    ArrayRef<int64_t> named;
    if (loops.sizedUnits)
      named = cast<DenseI64ArrayAttr>(loops.sizedUnits[number]);
    for (auto [i, index, extent] : llvm::enumerate(indices, dimsOf(leaf.type))) {
      leaf.offset =
          leaf.offset * affineOf(extent, tensor.getContext(), [&](const std::string &name) { return symbol(name); }) + index;
      if (!extent.isStatic(1) || llvm::is_contained(named, int64_t(i)))
        leaf.indices.push_back(index);
    }
    found.push_back(std::move(leaf));
  }

private:
  AffineExpr symbol(StringRef name) {
    return getAffineSymbolExpr(llvm::find(loops.symbols, name) - loops.symbols.begin(), loops.roots.front().getContext());
  }

  const KernelLoops &loops;
  SmallVectorImpl<LeafAccess> &found;
  unsigned visits = 0;
};
} // namespace

SmallVector<LeafAccess> lathe::collectLeafAccesses(const KernelLoops &loops) {
  SmallVector<LeafAccess> found;
  Collector collector(loops, found);
  MLIRContext *context = loops.roots.front().getContext();
  SmallVector<AffineExpr> place;
  for (unsigned i = 0; i < loops.parallel; ++i)
    place.push_back(getAffineDimExpr(i, context));
  for (auto [i, root] : llvm::enumerate(loops.roots)) {
    collector.visit(root, place);
    collector.addLeaf(root, place, loops.operands + i, true);
  }
  return found;
}

/// Returns the change of an expression per step of a loop; nullopt if it is not constant.
static std::optional<int64_t> stepOf(AffineExpr expr, unsigned dim, unsigned dims, unsigned symbols) {
  AffineExpr d = getAffineDimExpr(dim, expr.getContext());
  AffineExpr difference = simplifyAffineExpr(expr.replace(d, d + 1) - expr, dims, symbols);
  if (auto constant = dyn_cast<AffineConstantExpr>(difference))
    return constant.getValue();
  return std::nullopt;
}

std::optional<int64_t> lathe::strideAlong(const LeafAccess &access, unsigned dim, unsigned dims, unsigned symbols) {
  return stepOf(access.offset, dim, dims, symbols);
}

std::optional<int64_t> lathe::strideByPosition(const LeafAccess &access, unsigned dim, unsigned dims, unsigned symbols) {
  if (access.indices.empty())
    return 0;
  for (AffineExpr index : ArrayRef(access.indices).drop_back())
    if (stepOf(index, dim, dims, symbols) != 0)
      return std::nullopt;
  return stepOf(access.indices.back(), dim, dims, symbols);
}
