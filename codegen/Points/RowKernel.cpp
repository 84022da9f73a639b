#include "codegen/Points/RowKernel.h"
#include "codegen/Points/LeafAccesses.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Analysis/ReductionLevels.h"

using namespace mlir;
using namespace lathe;

static unsigned elementBytesOf(Value tensor) {
  return std::max(1u, cast<RankedTensorType>(tensor.getType()).getElementTypeBitWidth() / 8);
}

RowKernel::RowKernel(KernelOp kernel) : kernel(kernel), nests(kernel.getBody().getOps<NestOp>()) {
  llvm::append_range(roots, kernel.getBody().front().getTerminator()->getOperands());
  for (NestOp nest : nests)
    if (nest.getReduction() != NestReduction::None) {
      reductions.push_back(nest);
      full = dimsOf(nest.getExtents());
      rank = dimsOf(nest.getResult()).size();
    }
  for (NestOp nest : nests)
    if (isFull(nest.getResult()) && nest.getReduction() == NestReduction::None)
      fullNests.push_back(nest);
  for (auto [i, root] : llvm::enumerate(roots))
    if (!isFull(root))
      rowResults.push_back(i);
  symbols = symbolsOf(kernel);
  setUnits();
  setLevels();
}

std::optional<int64_t> RowKernel::rowSize() const {
  std::optional<Dim> size = numElements(innerExtents());
  return size && size->isStatic() ? std::optional(size->constant()) : std::nullopt;
}

std::optional<int64_t> RowKernel::rowBytes(Value value) const {
  std::optional<int64_t> size = rowSize();
  return size ? std::optional(*size * elementBytesOf(value)) : std::nullopt;
}

/// Returns the dimensions of extent 1 that are named in the graph: their sums keep the order of other sizes.
static BitVector namedUnits(const RowKernel &rows) {
  BitVector named(rows.full.size());
  KernelOp kernel = rows.kernel;
  auto units = kernel->getAttrOfType<ArrayAttr>(kSizedUnitsAttr);
  if (!units)
    return named;
  auto unitsOf = [&](unsigned number) { return cast<DenseI64ArrayAttr>(units[number]).asArrayRef(); };
  for (NestOp nest : rows.nests)
    for (auto [access, input] : llvm::zip_equal(nest.getAccesses(), nest.getInputs()))
      if (auto argument = dyn_cast<BlockArgument>(input); argument && dimsOf(nest.getExtents()) == rows.full)
        for (int64_t i : unitsOf(argument.getArgNumber()))
          if (auto dim = dyn_cast<AffineDimExpr>(cast<AccessAttr>(access).getMap().getValue().getResult(i)))
            named.set(dim.getPosition());
  for (auto [i, root] : llvm::enumerate(rows.roots))
    if (rows.isFull(root))
      for (int64_t unit : unitsOf(kernel.getBody().getNumArguments() + i))
        named.set(unit);
  return named;
}

void RowKernel::setUnits() {
  BitVector named = namedUnits(*this);
  while (units + 1 < innerExtents().size() && full[vectorDim()].isStatic(1) && !named[vectorDim()])
    ++units;
}

void RowKernel::setLevels() {
  levels = reductionLevels(kernel);
  for (NestOp nest : nests) {
    bool reduces = nest.getReduction() != NestReduction::None;
    for (Value input : tensorsReadBy(nest))
      if (isFull(input) || reduces)
        elementBytes = std::max(elementBytes, elementBytesOf(input));
    if (isFull(nest.getResult()))
      elementBytes = std::max(elementBytes, elementBytesOf(nest.getResult()));
    if (!reduces && levelOf(nest.getResult()) > 0 && !isFull(nest.getResult()) &&
        dimsOf(nest.getResult()) == Dims(rowExtents()))
      rowValues.push_back(nest);
  }
  for (NestOp reduction : reductions)
    lastLevel = std::max(lastLevel, levelOf(reduction.getResult()) - 1);
  for (Value root : roots)
    lastLevel = std::max(lastLevel, levelOf(root));
}

RowKernel::Needs RowKernel::needsOf(ArrayRef<RowPass> passes,
                                    function_ref<bool(NestOp, const std::set<unsigned> &)> keeps) const {
  Needs needs;
  for (auto [number, pass] : llvm::enumerate(passes)) {
    for (NestOp reduction : pass.reductions)
      for (Value input : tensorsReadBy(reduction))
        needs[input].insert(number);
    for (unsigned result : pass.stores)
      needs[roots[result]].insert(number);
  }
  for (NestOp nest : llvm::reverse(fullNests)) {
    std::set<unsigned> needed = needs[nest.getResult()];
    if (needed.empty())
      continue;
    if (keeps(nest, needed))
      needed.erase(std::next(needed.begin()), needed.end());
    for (Value input : tensorsReadBy(nest))
      needs[input].insert(needed.begin(), needed.end());
  }
  return needs;
}
