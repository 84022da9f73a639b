#include "lib/Import/StableHLO/Sizes.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Lathe.h"

using namespace mlir;
using namespace lathe;

static constexpr int64_t kMostKnown = 256;

static std::optional<Dims> constantSizes(ConstantOp op) {
  auto elements = dyn_cast<DenseIntElementsAttr>(op.getValue());
  if (!elements || elements.getNumElements() > kMostKnown || elements.getElementType().getIntOrFloatBitWidth() > 64)
    return std::nullopt;
  Dims sizes;
  bool isUnsigned = elements.getElementType().isUnsignedInteger() || elements.getElementType().isInteger(1);
  for (const APInt &number : elements.getValues<APInt>())
    sizes.push_back(Dim(isUnsigned ? int64_t(number.getZExtValue()) : number.getSExtValue()));
  return sizes;
}

/// Returns the result of an op on two sizes; nullopt if no expression has it.
static std::optional<Dim> combine(Operation *op, const Dim &lhs, const Dim &rhs) {
  if (isa<AddOp>(op))
    return lhs + rhs;
  if (isa<SubOp>(op))
    return lhs - rhs;
  if (isa<MulOp>(op))
    return lhs * rhs;
  if (isa<MaxOp>(op))
    return maxOf(lhs, rhs);
  if (isa<MinOp>(op))
    return minOf(lhs, rhs);
  bool isPositive = rhs.isStatic() && rhs.constant() > 0;
  if (isa<FloorDivOp>(op) && isPositive)
    return floorDiv(lhs, rhs.constant());
  if (!lhs.isStatic() || !rhs.isStatic() || rhs.isStatic(0))
    return std::nullopt;
  if (isa<DivOp>(op))
    return Dim(lhs.constant() / rhs.constant());
  if (isa<RemOp>(op))
    return Dim(lhs.constant() % rhs.constant());
  return std::nullopt;
}

/// Returns the truth of a comparison of sizes, as far as it is the same for all of them.
static std::optional<Dim> compare(CompareKind kind, const Dim &lhs, const Dim &rhs) {
  Dim difference = lhs - rhs;
  if (!difference.isStatic())
    return std::nullopt;
  int64_t number = difference.constant();
  switch (kind) {
  case CompareKind::EQ:
    return Dim(number == 0);
  case CompareKind::NE:
    return Dim(number != 0);
  case CompareKind::LT:
    return Dim(number < 0);
  case CompareKind::LE:
    return Dim(number <= 0);
  case CompareKind::GT:
    return Dim(number > 0);
  case CompareKind::GE:
    return Dim(number >= 0);
  }
  return std::nullopt;
}

/// Applies an op to the elements of two lists, one of which may be a single element.
static std::optional<Dims> combineAll(Operation *op) {
  std::optional<Dims> lhs = hloimport::knownSizes(op->getOperand(0)), rhs = hloimport::knownSizes(op->getOperand(1));
  if (!lhs || !rhs || lhs->empty() || rhs->empty() || (lhs->size() != rhs->size() && lhs->size() != 1 && rhs->size() != 1))
    return std::nullopt;
  Dims results;
  for (size_t i = 0; i < std::max(lhs->size(), rhs->size()); ++i) {
    const Dim &a = (*lhs)[lhs->size() == 1 ? 0 : i], &b = (*rhs)[rhs->size() == 1 ? 0 : i];
    auto comparison = dyn_cast<CompareOp>(op);
    std::optional<Dim> result = comparison ? compare(comparison.getKind(), a, b) : combine(op, a, b);
    if (!result || result->isUnknown())
      return std::nullopt;
    results.push_back(*result);
  }
  return results;
}

/// Returns the number that a scalar always is; nullopt if it depends on sizes or data.
static std::optional<int64_t> numberOf(Value value) {
  std::optional<Dims> sizes = hloimport::knownSizes(value);
  return sizes && sizes->size() == 1 && (*sizes)[0].isStatic() ? std::optional((*sizes)[0].constant()) : std::nullopt;
}

/// Returns the operands of a comparison by NE; null values for any other op.
static std::pair<Value, Value> differing(Value value) {
  auto op = value.getDefiningOp<CompareOp>();
  return op && op.getKind() == CompareKind::NE ? std::pair(Value(op.getLhs()), Value(op.getRhs())) : std::pair<Value, Value>();
}

/// True if the value is `lhs % divisor`, rounded towards zero.
static bool isRemainder(Value value, Value lhs, int64_t divisor) {
  auto op = value ? value.getDefiningOp<RemOp>() : RemOp();
  return op && op.getLhs() == lhs && numberOf(op.getRhs()) == divisor;
}

/// Returns floor(x / d) for q - 1 where the signs of x and d differ and x % d is not 0, else q, with q = x / d rounded towards
/// zero and a positive number d: JAX writes it so.
static std::optional<Dim> flooredQuotient(SelectOp op) {
  auto quotient = op.getOnFalse().getDefiningOp<DivOp>();
  auto less = op.getOnTrue().getDefiningOp<SubOp>();
  auto both = op.getPredicate().getDefiningOp<AndOp>();
  if (!quotient || !less || !both || less.getLhs() != op.getOnFalse() || numberOf(less.getRhs()) != 1)
    return std::nullopt;
  Value x = quotient.getLhs();
  std::optional<int64_t> divisor = numberOf(quotient.getRhs());
  std::optional<Dims> size = hloimport::knownSizes(x);
  if (!divisor || *divisor < 1 || !size || size->size() != 1)
    return std::nullopt;
  auto signs = differing(both.getLhs()), rest = differing(both.getRhs());
  auto own = signs.first ? signs.first.getDefiningOp<SignOp>() : SignOp(),
       other = signs.first ? signs.second.getDefiningOp<SignOp>() : SignOp();
  if (!own || !other || own.getOperand() != x || numberOf(other.getOperand()) != divisor ||
      !isRemainder(rest.first, x, *divisor) || numberOf(rest.second) != 0)
    return std::nullopt;
  return floorDiv((*size)[0], *divisor);
}

/// Returns x - d floor(x / d) for r + d where the signs of r and d differ and r is not 0, else r, with r = x % d and a positive
/// number d.
static std::optional<Dim> flooredRemainder(SelectOp op) {
  auto rest = op.getOnFalse().getDefiningOp<RemOp>();
  auto more = op.getOnTrue().getDefiningOp<AddOp>();
  auto both = op.getPredicate().getDefiningOp<AndOp>();
  std::optional<int64_t> divisor = rest ? numberOf(rest.getRhs()) : std::nullopt;
  if (!divisor || *divisor < 1 || !more || !both || more.getLhs() != op.getOnFalse() || numberOf(more.getRhs()) != divisor)
    return std::nullopt;
  std::optional<Dims> size = hloimport::knownSizes(rest.getLhs());
  auto signs = differing(both.getLhs()), zero = differing(both.getRhs());
  auto isNegative = signs.first ? signs.first.getDefiningOp<CompareOp>() : CompareOp();
  if (!size || size->size() != 1 || !isNegative || isNegative.getKind() != CompareKind::LT ||
      isNegative.getLhs() != op.getOnFalse() || numberOf(isNegative.getRhs()) != 0 || numberOf(signs.second) != 0 ||
      zero.first != op.getOnFalse() || numberOf(zero.second) != 0)
    return std::nullopt;
  return (*size)[0] - floorDiv((*size)[0], *divisor) * Dim(*divisor);
}

/// Returns the sizes that a selection has, if its predicate is the same for all sizes or it is a step of a division.
static std::optional<Dims> selected(SelectOp op) {
  if (std::optional<int64_t> predicate = numberOf(op.getPredicate()))
    return hloimport::knownSizes(*predicate ? op.getOnTrue() : op.getOnFalse());
  std::optional<Dim> size = flooredQuotient(op);
  if (!size)
    size = flooredRemainder(op);
  return size ? std::optional(Dims{*size}) : std::nullopt;
}

std::optional<Dims> hloimport::knownSizes(Value value) {
  Operation *op = value ? value.getDefiningOp() : nullptr;
  auto type = value ? cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!op || !isa<IntegerType>(type.getElementType()) || !type.hasStaticShape() || type.getNumElements() > kMostKnown)
    return std::nullopt;
  if (auto constant = dyn_cast<ConstantOp>(op))
    return constantSizes(constant);
  if (auto size = dyn_cast<DimSizeOp>(op)) {
    Dim dim = dimsOf(size.getOperand())[size.getDim()];
    return dim.isUnknown() ? std::nullopt : std::optional(Dims{dim});
  }
  if (isa<ConvertOp, ReshapeOp>(op))
    return knownSizes(op->getOperand(0));
  if (isa<BroadcastOp>(op)) {
    std::optional<Dims> sizes = knownSizes(op->getOperand(0));
    if (!sizes || (sizes->size() != 1 && int64_t(sizes->size()) != type.getNumElements()))
      return std::nullopt;
    return sizes->size() == 1 ? Dims(type.getNumElements(), (*sizes)[0]) : *sizes;
  }
  if (auto select = dyn_cast<SelectOp>(op))
    return selected(select);
  if (auto concatenate = dyn_cast<ConcatenateOp>(op); concatenate && concatenate.getDim() == 0) { // of lists, or of rows
    Dims all;
    for (Value operand : op->getOperands()) {
      std::optional<Dims> sizes = knownSizes(operand);
      if (!sizes)
        return std::nullopt;
      all.append(*sizes);
    }
    return all;
  }
  return op->getNumOperands() == 2 ? combineAll(op) : std::nullopt;
}
