// Rules of elementwise ops, of reductions, and of ops that work along one dimension.
#include "passes/Partition/Rule.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::partition;

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

Rule::Rule(Operation *op) {
  for (Value operand : op->getOperands())
    operands.emplace_back(typeOf(operand).getRank(), kWhole);
  for (Value result : op->getResults())
    results.emplace_back(typeOf(result).getRank(), kWhole);
}

int Rule::add(const Dim &extent) {
  if (!extent.isStatic())
    return kWhole;
  parts.push_back(extent.constant());
  return int(parts.size()) - 1;
}

int Rule::share(Operation *op, int64_t operandDim, int64_t resultDim) {
  int factor = add(dimsOf(op->getOperand(0))[operandDim]);
  operands[0][operandDim] = results[0][resultDim] = factor;
  return factor;
}

/// Gives each dimension of the results one factor, which the operands' dimensions of the same extent share.
static Rule ruleOfElements(Operation *op) {
  Rule rule(op);
  Dims shape = dimsOf(op->getResult(0));
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int factor = rule.add(shape[dim]);
    rule.results[0][dim] = factor;
    for (auto [operand, factors] : llvm::zip_equal(op->getOperands(), rule.operands))
      if (factors.size() == shape.size() && dimsOf(operand)[dim] == shape[dim])
        factors[dim] = factor;
  }
  if (isa<AddOp, SubOp>(op))
    rule.linear = Rule::Linear::All;
  else if (isa<MulOp>(op))
    rule.linear = Rule::Linear::OneOf;
  else if (isa<DivOp>(op) && isFloatTensor(op->getResult(0).getType()))
    rule.linear = Rule::Linear::First;
  else if (isa<NegOp, StopGradientOp>(op))
    rule.linear = Rule::Linear::Unary;
  return rule;
}

static Rule::Missing combinationOf(ReduceKind kind) {
  switch (kind) {
  case ReduceKind::Sum:
    return Rule::Missing::Sum;
  case ReduceKind::Max:
    return Rule::Missing::Max;
  case ReduceKind::Min:
    return Rule::Missing::Min;
  default:
    return Rule::Missing::Refused;
  }
}

static Rule ruleOfReduction(ReduceOp op) {
  Rule rule(op);
  Dims shape = dimsOf(op.getOperand());
  for (int64_t dim = 0, next = 0; dim < int64_t(shape.size()); ++dim)
    if (llvm::is_contained(op.getDims(), dim))
      rule.operands[0][dim] = rule.add(shape[dim]);
    else
      rule.share(op, dim, next++);
  rule.missing = combinationOf(op.getKind());
  if (op.getKind() == ReduceKind::Sum)
    rule.linear = Rule::Linear::Unary;
  return rule;
}

/// Shares all dimensions of the operands and the result except those for which `isAlong` holds.
static Rule ruleBeside(Operation *op, function_ref<bool(int64_t)> isAlong) {
  Rule rule(op);
  Dims shape = dimsOf(op->getOperand(0));
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim) {
    if (isAlong(dim))
      continue;
    int factor = rule.share(op, dim, dim);
    for (auto [operand, factors] : llvm::zip_equal(op->getOperands(), rule.operands))
      if (factors.size() == shape.size() && dimsOf(operand)[dim] == shape[dim])
        factors[dim] = factor;
  }
  return rule;
}

static Rule ruleOfArgExtremum(Operation *op, int64_t along) {
  Rule rule(op);
  for (int64_t dim = 0, next = 0; dim < int64_t(rule.operands[0].size()); ++dim)
    if (dim != along)
      rule.share(op, dim, next++);
  return rule;
}

/// Shares the dimensions along which a window has one tap and moves by one.
static Rule ruleOfWindow(Operation *op, WindowAttr window) {
  auto isTrivial = [&](int64_t dim) {
    return window.getSize()[dim] == 1 && window.getStride()[dim] == 1 && window.getBaseDilation()[dim] == 1 &&
           window.getLow()[dim] == 0 && window.getHigh()[dim] == 0;
  };
  return ruleBeside(op, [&](int64_t dim) { return !isTrivial(dim); });
}

static Rule ruleOfDimSize(DimSizeOp op) {
  Rule rule(op);
  for (auto [dim, extent] : llvm::enumerate(dimsOf(op.getOperand())))
    if (dim != op.getDim())
      rule.operands[0][dim] = rule.add(extent);
  rule.missing = Rule::Missing::Same;
  return rule;
}

std::optional<Rule> partition::ruleAlong(Operation *op) {
  auto beside = [&](int64_t along) { return ruleBeside(op, [along](int64_t dim) { return dim == along; }); };
  auto behind = [&](int64_t count) { // the last dimensions are those of matrices
    int64_t rank = typeOf(op->getOperand(0)).getRank();
    return ruleBeside(op, [=](int64_t dim) { return dim >= rank - count; });
  };
  if (auto sort = dyn_cast<SortOp>(op))
    return beside(sort.getDim());
  if (auto sort = dyn_cast<ArgsortOp>(op))
    return beside(sort.getDim());
  if (auto top = dyn_cast<TopKOp>(op))
    return beside(top.getDim());
  if (auto cumulative = dyn_cast<CumulativeOp>(op))
    return beside(cumulative.getDim());
  if (auto recurrence = dyn_cast<LinearRecurrenceOp>(op))
    return beside(recurrence.getDim());
  if (auto named = dyn_cast<SetDimSizeOp>(op))
    return beside(named.getDim());
  if (isa<CholeskyOp, TriangularSolveOp>(op))
    return behind(2);
  if (auto argmax = dyn_cast<ArgmaxOp>(op))
    return ruleOfArgExtremum(op, argmax.getDim());
  if (auto argmin = dyn_cast<ArgminOp>(op))
    return ruleOfArgExtremum(op, argmin.getDim());
  if (auto window = op->getAttrOfType<WindowAttr>("window"))
    return ruleOfWindow(op, window);
  if (auto gather = dyn_cast<AllGatherOp>(op))
    return beside(gather.getDim());
  if (auto scatter = dyn_cast<ReduceScatterOp>(op))
    return beside(scatter.getDim());
  if (auto exchange = dyn_cast<AllToAllOp>(op))
    return ruleBeside(op,
                      [&](int64_t dim) { return dim == int64_t(exchange.getSplit()) || dim == int64_t(exchange.getConcat()); });
  if (isa<AllReduceOp, CollectiveBroadcastOp, CollectivePermuteOp>(op))
    return beside(-1);
  return std::nullopt;
}

Rule partition::ruleOf(Operation *op) {
  if (op->hasTrait<ElementwiseTrait>() && op->getNumResults() == 1)
    return ruleOfElements(op);
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return ruleOfReduction(reduce);
  if (auto size = dyn_cast<DimSizeOp>(op))
    return ruleOfDimSize(size);
  for (auto family : {ruleOfProduct, ruleOfMove, ruleOfIndexing, ruleAlong})
    if (std::optional<Rule> rule = family(op))
      return *rule;
  return Rule(op);
}

std::string partition::whyWhole(Operation *op, const Rule &rule, unsigned operand, int64_t dim, int64_t ranks) {
  int factor = rule.operands[operand][dim];
  if (factor == Rule::kWhole)
    return "the op cannot be computed in parts along this dimension";
  if (rule.parts[factor] % ranks != 0)
    return std::to_string(ranks) + " ranks do not divide " + std::to_string(rule.parts[factor]);
  bool isMissing = llvm::none_of(rule.results, [&](ArrayRef<int> factors) { return llvm::is_contained(factors, factor); });
  if (isMissing && rule.missing == Rule::Missing::Refused)
    return "its results along this dimension cannot be combined";
  return "";
}
