#include "passes/KeyBlocks/RowRegion.h"

using namespace mlir;
using namespace lathe;

namespace {
/// A product's operand with its dimensions by their roles.
struct Side {
  Value value;
  ArrayRef<int64_t> contract, batch;
};
} // namespace

static Side sideOf(DotGeneralOp dot, unsigned operand) {
  if (operand == 0)
    return {dot.getLhs(), dot.getLhsContract(), dot.getLhsBatch()};
  return {dot.getRhs(), dot.getRhsContract(), dot.getRhsBatch()};
}

static bool isSplat(Operation *op) {
  auto constant = dyn_cast<ConstantOp>(op);
  return constant && constant.getValue().isSplat();
}

int64_t RowRegion::elementsOfRow(Value value, ArrayRef<int64_t> of) const {
  int64_t elements = 1;
  for (auto [dim, loop] : llvm::zip_equal(dimsOf(value), of))
    if (loop == kUndivided || loop == columnsLoop)
      elements *= dim.isStatic() ? dim.constant() : 0;
  return elements;
}

RowRegion::RowRegion(DotGeneralOp sum, unsigned operand) : sum(sum), matrix(sum->getOperand(operand)) {
  Side side = sideOf(sum, operand);
  Dims all = dimsOf(matrix);
  ofMatrix.assign(all.size(), kUndivided);
  if (side.contract.empty() || !llvm::all_of(all, [](const Dim &dim) { return dim.isStatic(); }))
    return;
  int64_t rows = *std::max_element(side.contract.begin(), side.contract.end(),
                                   [&](int64_t a, int64_t b) { return all[a].constant() < all[b].constant(); });
  SmallVector<int64_t> divided;
  for (int64_t dim = 0; dim < int64_t(all.size()); ++dim)
    if (dim != rows && !all[dim].isStatic(1) && (llvm::is_contained(side.batch, dim) || llvm::is_contained(side.contract, dim)))
      divided.push_back(dim);
  divided.push_back(rows); // its loop is the innermost
  for (auto [loop, dim] : llvm::enumerate(divided)) {
    ofMatrix[dim] = loop;
    extents.push_back(all[dim].constant());
  }
  width = elementsOfRow(matrix, ofMatrix);
}

bool RowRegion::divideColumns() {
  Dims all = dimsOf(matrix);
  int64_t columns = kUndivided;
  for (auto [dim, loop] : llvm::enumerate(ofMatrix))
    if (loop == kUndivided && (columns == kUndivided || all[dim].constant() > all[columns].constant()))
      columns = dim;
  if (columns == kUndivided)
    return false;
  columnsLoop = extents.size() - 1;
  *llvm::find(ofMatrix, columnsLoop) = extents.size(); // rows stay the innermost
  ofMatrix[columns] = columnsLoop;
  extents.insert(extents.end() - 1, all[columns].constant());
  return true;
}

bool RowRegion::isWide(Value value, ArrayRef<int64_t> of) const { return isOfRows(of) && elementsOfRow(value, of) >= width; }

/// True if a value with one element for each row comes from a matrix by a reduction along the rows.
bool RowRegion::dependsOnMatrix(Value value, ArrayRef<int64_t> of) const {
  Operation *op = value.getDefiningOp();
  if (!op || stops.contains(value) || !isOfRows(of) || isa<DotGeneralOp>(op))
    return false;
  if (isWide(value, of))
    return true;
  std::optional<SmallVector<LoopDims>> ofOperands = loopDimsOfOperands(op, of);
  if (!ofOperands || elementsOfRow(value, of) != 1)
    return false;
  return llvm::any_of(llvm::zip_equal(op->getOperands(), *ofOperands), [&](auto each) {
    auto [operand, ofOperand] = each;
    return dependsOnMatrix(operand, ofOperand);
  });
}

/// Adds a value with its ops, or as an input. Returns false if other ops need it in other blocks.
bool RowRegion::visit(Value value, const LoopDims &of) {
  auto [known, isNew] = dims.try_emplace(value, of);
  if (!isNew)
    return known->second == of;
  Operation *op = value.getDefiningOp();
  bool computes = op && op->getBlock() == sum->getBlock() && !stops.contains(value) &&
                  (isSplat(op) || isa<IotaOp>(op) || isWide(value, of) || dependsOnMatrix(value, of));
  std::optional<SmallVector<LoopDims>> ofOperands = computes ? loopDimsOfOperands(op, of) : std::nullopt;
  if (!ofOperands) {
    inputs.insert(value);
    return true;
  }
  for (auto [operand, ofOperand] : llvm::zip_equal(op->getOperands(), *ofOperands))
    if (!visit(operand, ofOperand))
      return false;
  ops.push_back(op);
  inside.insert(op);
  return true;
}

/// Adds a product of a matrix of the region and a thin one. Returns false if it is not one, or needs other blocks.
bool RowRegion::addResult(DotGeneralOp result) {
  unsigned operand = inside.contains(result.getLhs().getDefiningOp()) ? 0 : 1;
  Side wide = sideOf(result, operand), thin = sideOf(result, 1 - operand);
  const LoopDims of = dims.find(wide.value)->second;
  LoopDims ofThin(dimsOf(thin.value).size(), kUndivided), ofResult;
  for (auto [i, dim] : llvm::enumerate(wide.batch)) {
    ofThin[thin.batch[i]] = of[dim];
    ofResult.push_back(of[dim]);
  }
  for (auto [i, dim] : llvm::enumerate(wide.contract))
    ofThin[thin.contract[i]] = of[dim];
  SmallVector<int64_t> free;
  for (int64_t dim : freeDimsOf(wide.value, wide.contract, wide.batch))
    free.push_back(of[dim]);
  size_t others = dimsOf(result.getResult()).size() - ofResult.size() - free.size();
  free.insert(operand == 0 ? free.end() : free.begin(), others, kUndivided);
  ofResult.append(free);
  if (isWide(thin.value, ofThin) || isWide(result.getResult(), ofResult) || !visit(thin.value, ofThin))
    return false;
  dims[result.getResult()] = ofResult;
  results.push_back(result.getResult());
  return true;
}

/// Adds all products of the region's matrices and thin ones.
bool RowRegion::addResults() {
  SmallVector<Operation *> made(ops);
  for (Operation *op : made) {
    if (!isWide(op->getResult(0), loopDims(op->getResult(0))))
      continue;
    for (Operation *user : op->getUsers()) {
      auto dot = dyn_cast<DotGeneralOp>(user);
      if (!dot || inside.contains(user) || refused.contains(user) || llvm::is_contained(results, dot.getResult()))
        continue;
      if (!addResult(dot))
        return false;
    }
  }
  return true;
}

/// Finds the ops whose values other ops need as well.
void RowRegion::findShared() {
  for (Operation *op : llvm::reverse(ops)) // users first
    if (llvm::any_of(op->getUsers(), [&](Operation *user) {
          return inside.contains(user)
                     ? shared.contains(user)
                     : !llvm::is_contained(results, Value(user->getNumResults() == 1 ? user->getResult(0) : Value()));
        }))
      shared.insert(op);
}

/// Refuses the results that inputs depend on: other ops compute them. Returns true if there are any.
bool RowRegion::dropResultsBeforeInputs() {
  llvm::SmallPtrSet<Operation *, 32> before;
  SmallVector<Value> open(inputs.begin(), inputs.end());
  while (!open.empty()) {
    Operation *op = open.pop_back_val().getDefiningOp();
    if (op && op->getBlock() == sum->getBlock() && before.insert(op).second)
      llvm::append_range(open, op->getOperands());
  }
  size_t known = refused.size();
  for (Value result : results)
    if (before.contains(result.getDefiningOp()))
      refused.insert(result.getDefiningOp());
  return refused.size() > known;
}

/// Makes inputs of what other ops compute anyway with one element for each row. Returns true if there is any.
bool RowRegion::stopAtSharedSums() {
  size_t known = stops.size();
  for (Operation *op : ops) {
    Value value = op->getResult(0);
    if (isShared(op) && !isSplat(op) && !isa<IotaOp>(op) && !isWide(value, loopDims(value)))
      stops.insert(value);
  }
  return stops.size() > known;
}

bool RowRegion::collect() {
  if (extents.empty())
    return false;
  while (true) { // until nothing more is refused or becomes an input
    ops.clear(), inputs.clear(), results.clear(), dims.clear(), inside.clear(), shared.clear();
    if (!visit(matrix, ofMatrix) || !inside.contains(matrix.getDefiningOp()) || !addResult(sum) || !addResults())
      return false;
    findShared();
    bool changes = dropResultsBeforeInputs();
    if (refused.contains(sum))
      return false;
    if (!changes && !stopAtSharedSums())
      return true;
  }
}
