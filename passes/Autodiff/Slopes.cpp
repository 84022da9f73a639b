#include "passes/Autodiff/Slopes.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::autodiff;

Slopes::Slopes(const Piece &both, const DenseSet<Value> &unknown, const DenseSet<Operation *> &needed)
    : unknown(unknown), needed(needed) {
  DenseMap<Value, Chain> chains;
  for (Operation &op : both.ops()) {
    if (!isLink(op))
      continue;
    Value result = op.getResult(0), source;
    for (Value operand : op.getOperands())
      if (unknown.contains(operand)) {
        Value from = sourceOf(operand);
        source = !source || source == from ? from : result;
      }
    sources[result] = source;
    if (source != result)
      chains[source].links.push_back(&op);
  }
  for (auto &[source, chain] : chains)
    llvm::copy_if(chain.links, std::back_inserter(chain.ends), [&](Operation *link) { return endsAt(link, both); });
  countResiduals(both, chains);
  for (auto &[source, chain] : chains)
    if (chain.numFactors > 1 && chain.numResiduals > chain.ends.size()) {
      merged.insert_range(chain.links);
      ends.insert_range(chain.ends);
      links[source] = chain.links;
    }
  if (!merged.empty())
    findFactors(both);
}

/// True for a sum of tangents and for a product or quotient of one and a known factor. Selects do not count: the side that they
/// leave out may have an infinite slope.
bool Slopes::isLink(Operation &op) const {
  if (!isa<AddOp, SubOp, NegOp, MulOp, DivOp>(op) || !unknown.contains(op.getResult(0)))
    return false;
  return isa<AddOp, SubOp, NegOp>(op) || unknown.contains(op.getOperand(0)) != unknown.contains(op.getOperand(1));
}

/// True if a value other than the chain's tangents is computed from the link's result.
bool Slopes::endsAt(Operation *link, const Piece &both) const {
  Value result = link->getResult(0);
  return llvm::is_contained(both.yields, result) || llvm::any_of(result.getUsers(), [&](Operation *user) {
           return !isLink(*user) || sourceOf(user->getResult(0)) != sourceOf(result);
         });
}

/// Adds the values of the known part from which a factor is computed, constants and what repeats a smaller value aside, and
/// inputs of the piece, which are stored anyway.
void Slopes::addResiduals(Value known, SmallVectorImpl<Value> &residuals) const {
  SmallVector<Value> pending{known};
  DenseSet<Value> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op || isa<ConstantOp, IotaOp, BroadcastOp>(op) || !seen.insert(value).second)
      continue;
    if (needed.contains(op) && !isa<ConvertOp>(op))
      residuals.push_back(value);
    else
      llvm::append_range(pending, op->getOperands());
  }
}

void Slopes::countResiduals(const Piece &both, DenseMap<Value, Chain> &chains) const {
  llvm::MapVector<Value, SetVector<Value>> usersOf; // sources of the chains that need a residual; null for all else
  for (Operation &op : both.ops()) {
    if (llvm::none_of(op.getResults(), [&](Value result) { return unknown.contains(result); }))
      continue;
    Value source = isLink(op) && isOfChain(&op) ? sourceOf(op.getResult(0)) : Value();
    SmallVector<Value> residuals;
    for (Value operand : op.getOperands())
      if (!unknown.contains(operand))
        addResiduals(operand, residuals);
    for (Value residual : residuals)
      usersOf[residual].insert(source);
    if (source && !residuals.empty())
      ++chains[source].numFactors;
  }
  for (auto &[residual, users] : usersOf)
    if (users.size() == 1 && users.front())
      ++chains[users.front()].numResiduals;
}

/// Finds the known ops whose results only merged links and other such ops use.
void Slopes::findFactors(const Piece &both) {
  DenseSet<Value> yielded(both.yields.begin(), both.yields.end());
  for (Operation &op : llvm::reverse(*both.block)) {
    bool isKnown = llvm::none_of(op.getResults(), [&](Value result) { return unknown.contains(result); });
    bool isYielded = llvm::any_of(op.getResults(), [&](Value result) { return yielded.contains(result); });
    if (isKnown && !isYielded && !op.use_empty() && !needed.contains(&op) &&
        llvm::all_of(op.getUsers(), [&](Operation *user) { return merged.contains(user) || factors.contains(user); }))
      factors.insert(&op);
  }
}

/// Returns a known value in the known part, where ops that no primal result needs are emitted here.
static Value inKnown(Value value, Emit &e, IRMapping &known) {
  if (Value there = known.lookupOrNull(value))
    return there;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    inKnown(operand, e, known);
  e.getBuilder().clone(*op, known);
  return known.lookup(value);
}

Value Slopes::emit(Operation *end, const Rules &rules, Emit &e, IRMapping &known) const {
  Value result = end->getResult(0), source = sourceOf(result);
  DenseMap<Value, Value> arrived = {{result, e.splatLike(result, 1)}};
  for (Operation *link : llvm::reverse(links.find(source)->second)) {
    Value cotangent = arrived.lookup(link->getResult(0));
    if (!cotangent)
      continue;
    auto given = llvm::map_to_vector(
        link->getOperands(), [&](Value operand) { return unknown.contains(operand) ? Value() : inKnown(operand, e, known); });
    SmallVector<Value> cotangents(link->getNumOperands());
    rules.find(link)->transpose(e, link, given, cotangent, cotangents);
    for (auto [operand, each] : llvm::zip_equal(link->getOperands(), cotangents))
      if (each && unknown.contains(operand)) {
        Value &sum = arrived[operand];
        sum = e.plus(sum, each);
      }
  }
  return arrived.lookup(source);
}
