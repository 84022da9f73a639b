#include "codegen/Points/RowPlan.h"
#include "codegen/Points/LeafAccesses.h"
#include "codegen/Points/Reduction.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Analysis/Recomputation.h"
#include "lib/Analysis/ReductionLevels.h"

using namespace mlir;
using namespace lathe;

/// Stack bytes per row: two rows in lockstep take half of the smallest first-level cache.
static constexpr int64_t kRowBufferBytes = 8192;

static unsigned byteSize(Type element) { return std::max(1u, element.getIntOrFloatBitWidth() / 8); }
static Type elementType(Value tensor) { return cast<RankedTensorType>(tensor.getType()).getElementType(); }

RowPlan::RowPlan(KernelOp kernel) {
  llvm::append_range(roots, kernel.getBody().front().getTerminator()->getOperands());
  for (auto nest : kernel.getBody().getOps<NestOp>())
    if (nest.getReduction() != NestReduction::None) {
      full = dimsOf(nest.getExtents());
      rank = dimsOf(nest.getResult()).size();
    }
  symbols = symbolsOf(kernel);
  setUnits(kernel);
  setLevels(kernel);
  addPasses(kernel);
  std::vector<RowPass> before = passes;
  addBuffers(kernel, /*inResults=*/true);
  if (keepsInputs(kernel))
    return;
  passes = before;
  addBuffers(kernel, /*inResults=*/false);
}

/// True if no result that may share the buffer of an input is overwritten before all inputs are read. The plan may give a
/// result of the last pass the buffer of an input that dies.
bool RowPlan::keepsInputs(KernelOp kernel) const {
  unsigned lastRead = 0;
  for (Value argument : kernel.getBody().getArguments())
    if (auto found = readers.find(argument); isLine(argument) && found != readers.end())
      lastRead = std::max(lastRead, *found->second.rbegin());
  for (auto [number, pass] : llvm::enumerate(passes))
    for (const RowBuffer &buffer : buffers)
      if (llvm::is_contained(pass.keeps, buffer.value) && buffer.result && number < lastRead &&
          levelOf(roots[*buffer.result]) == passes.back().level)
        return false;
  return true;
}

std::optional<int64_t> RowPlan::lineSize() const {
  std::optional<Dim> size = numElements(lineExtents());
  return size && size->isStatic() ? std::optional(size->constant()) : std::nullopt;
}

/// Returns the dimensions of extent 1 that are named in the graph: their sums keep the order of other sizes.
static BitVector namedUnits(KernelOp kernel, const RowPlan &plan) {
  BitVector named(plan.full.size());
  auto units = kernel->getAttrOfType<ArrayAttr>(kSizedUnitsAttr);
  if (!units)
    return named;
  auto unitsOf = [&](unsigned number) { return cast<DenseI64ArrayAttr>(units[number]).asArrayRef(); };
  for (auto nest : kernel.getBody().getOps<NestOp>())
    for (auto [access, input] : llvm::zip_equal(nest.getAccesses(), nest.getInputs()))
      if (auto argument = dyn_cast<BlockArgument>(input); argument && dimsOf(nest.getExtents()) == plan.full)
        for (int64_t i : unitsOf(argument.getArgNumber()))
          if (auto dim = dyn_cast<AffineDimExpr>(cast<AccessAttr>(access).getMap().getValue().getResult(i)))
            named.set(dim.getPosition());
  for (auto [i, root] : llvm::enumerate(plan.roots))
    if (plan.isLine(root))
      for (int64_t unit : unitsOf(kernel.getBody().getNumArguments() + i))
        named.set(unit);
  return named;
}

void RowPlan::setUnits(KernelOp kernel) {
  BitVector named = namedUnits(kernel, *this);
  while (units + 1 < lineExtents().size() && full[vectorDim()].isStatic(1) && !named[vectorDim()])
    ++units;
}

void RowPlan::setLevels(KernelOp kernel) {
  levels = reductionLevels(kernel);
  for (auto nest : kernel.getBody().getOps<NestOp>()) {
    bool reduces = nest.getReduction() != NestReduction::None;
    for (Value input : tensorsReadBy(nest))
      if (isLine(input) || reduces)
        elementBytes = std::max(elementBytes, byteSize(elementType(input)));
    if (isLine(nest.getResult()))
      elementBytes = std::max(elementBytes, byteSize(elementType(nest.getResult())));
    if (!reduces && levelOf(nest.getResult()) > 0 && !isLine(nest.getResult()) &&
        dimsOf(nest.getResult()) == Dims(rowExtents()))
      rowValues.push_back(nest);
  }
}

/// Returns the pass for a level and element size of sums. Passes are in the order of their levels, and sums of one size share a
/// pass.
RowPass &RowPlan::passAt(unsigned level, unsigned sumBytes) {
  auto last = llvm::find_if(passes, [&](const RowPass &pass) { return pass.level > level; });
  for (auto pass = passes.begin(); pass != last; ++pass)
    if (pass->level == level && (!sumBytes || !pass->sumBytes || pass->sumBytes == sumBytes)) {
      pass->sumBytes = std::max(pass->sumBytes, sumBytes);
      return *pass;
    }
  RowPass made;
  made.level = level;
  made.sumBytes = sumBytes;
  return *passes.insert(last, made);
}

void RowPlan::addPasses(KernelOp kernel) {
  for (auto nest : kernel.getBody().getOps<NestOp>())
    if (nest.getReduction() != NestReduction::None)
      passAt(levelOf(nest.getResult()) - 1, bytesOfOrderedSum(nest)).reductions.push_back(nest);
  for (auto [i, root] : llvm::enumerate(roots))
    if (isLine(root))
      passAt(levelOf(root), 0).stores.push_back(i);
    else
      rowResults.push_back(i);
}

std::optional<RowBuffer> RowPlan::bufferFor(NestOp value, unsigned lastPass, bool inResults, int64_t &freeBytes) const {
  Type element = elementType(value.getResult());
  auto isTaken = [&](unsigned result) {
    return llvm::any_of(buffers, [&](const RowBuffer &buffer) { return buffer.result == result; });
  };
  auto own = llvm::find(roots, value.getResult());
  if (own != roots.end() && !isTaken(own - roots.begin()))
    return RowBuffer{value, own - roots.begin()};
  // A result that is not overwritten before its last reader has read it.
  for (const RowPass &pass : ArrayRef(passes).drop_front(inResults ? lastPass : passes.size()))
    for (unsigned result : pass.stores)
      if (!isTaken(result) && elementType(roots[result]) == element)
        return RowBuffer{value, result};
  std::optional<int64_t> size = lineSize();
  int64_t bytes = size ? *size * int64_t(byteSize(element)) : kRowBufferBytes + 1;
  if (bytes > freeBytes)
    return std::nullopt;
  freeBytes -= bytes;
  return RowBuffer{value, std::nullopt};
}

void RowPlan::addBuffers(KernelOp kernel, bool inResults) {
  buffers.clear();
  readers.clear();
  for (auto [number, pass] : llvm::enumerate(passes)) {
    for (NestOp reduction : pass.reductions)
      for (Value input : tensorsReadBy(reduction))
        readers[input].insert(number);
    for (unsigned result : pass.stores)
      readers[roots[result]].insert(number);
  }
  DenseMap<Value, unsigned> chain; // work of a line, including that of all its inputs
  SmallVector<NestOp> lines;
  for (auto nest : kernel.getBody().getOps<NestOp>()) {
    if (!isLine(nest.getResult()) || nest.getReduction() != NestReduction::None)
      continue;
    unsigned cost = pointCost(nest);
    for (Value input : tensorsReadBy(nest))
      cost += isLine(input) ? std::max(1u, chain.lookup(input)) : 0;
    chain[nest.getResult()] = cost;
    lines.push_back(nest);
  }
  int64_t freeBytes = kRowBufferBytes;
  for (NestOp line : llvm::reverse(lines)) { // readers first: values that a kept line is computed from need not be kept
    std::set<unsigned> needed = readers[line.getResult()];
    if (needed.empty())
      continue;
    std::optional<RowBuffer> buffer;
    if (needed.size() > 1 && chain[line.getResult()] >= kStoreAndLoad)
      buffer = bufferFor(line, *needed.rbegin(), inResults, freeBytes);
    if (buffer) {
      buffers.push_back(*buffer);
      RowPass &first = passes[*needed.begin()];
      first.keeps.push_back(line);
      if (isOwnResult(*buffer)) // this also stores the result
        llvm::erase(first.stores, *buffer->result);
    }
    if (buffer)
      needed.erase(std::next(needed.begin()), needed.end());
    for (Value input : tensorsReadBy(line))
      readers[input].insert(needed.begin(), needed.end());
  }
  for (RowPass &pass : passes)
    std::reverse(pass.keeps.begin(), pass.keeps.end());
}
