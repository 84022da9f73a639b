#include "passes/KeyBlocks/SoftmaxProduct.h"

using namespace mlir;
using namespace lathe;

/// Returns the value behind reshapes and broadcasts that only add dimensions of one index or repeat along the last dimension of
/// the scores: the value with one element for each row.
static Value ofRows(Value value) {
  while (true) {
    if (auto broadcast = value.getDefiningOp<BroadcastOp>())
      value = broadcast.getOperand();
    else if (auto reshape = value.getDefiningOp<ReshapeOp>())
      value = reshape.getOperand();
    else
      return value;
  }
}

/// Returns the number that all elements of a value have; null if they differ or are not known.
static TypedAttr splatOf(Value value) {
  auto constant = ofRows(value).getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : DenseElementsAttr();
  return elements && elements.isSplat() ? elements.getSplatValue<TypedAttr>() : TypedAttr();
}

static bool isNumber(Value value, double number) {
  auto splat = dyn_cast_or_null<FloatAttr>(splatOf(value));
  return splat && splat.getValue().convertToDouble() == number && !splat.getValue().isNegative();
}

namespace {
class Matcher {
public:
  explicit Matcher(DotGeneralOp product) : found{product, {}, {}, {}, {}} {}

  std::optional<SoftmaxProduct> match() {
    DotGeneralOp product = found.product;
    Value weights = product.getLhs();
    Type element = getElementTypeOrSelf(weights.getType());
    if (!(element.isF32() || element.isF64()) || !weights.hasOneUse() || !hasRowsFirst())
      return {};
    if (auto div = weights.getDefiningOp<DivOp>())
      return matchParts(div.getLhs(), div.getRhs());
    auto mul = weights.getDefiningOp<MulOp>();
    for (unsigned i : {0, 1}) { // by the reciprocal of the sum
      auto share = mul && isRepeated(mul->getOperand(i)) ? ofRows(mul->getOperand(i)).getDefiningOp<DivOp>() : DivOp();
      if (share && isNumber(share.getLhs(), 1))
        return matchParts(mul->getOperand(1 - i), mul->getOperand(i), share.getRhs());
    }
    return {};
  }

private:
  /// True if the keys are the last dimension and the only contracted one, and the leading dimensions are the product's.
  bool hasRowsFirst() {
    DotGeneralOp product = found.product;
    int64_t rank = dimsOf(product.getLhs()).size();
    if (product.getLhsContract() != ArrayRef<int64_t>{rank - 1})
      return false;
    for (auto [i, dim] : llvm::enumerate(product.getLhsBatch()))
      if (dim != int64_t(i))
        return false;
    return dimsOf(product.getResult()).size() == size_t(rank); // one dimension of the values is free
  }

  /// True if a value of the scores' shape is repeated along the keys: it depends on rows only.
  bool isRepeated(Value full) {
    auto broadcast = full.getDefiningOp<BroadcastOp>();
    if (!broadcast)
      return false;
    Dims operand = dimsOf(broadcast.getOperand()), result = dimsOf(full);
    for (auto [i, dim] : llvm::enumerate(broadcast.getDims()))
      if (operand[i] != result[dim] || dim == int64_t(result.size()) - 1)
        if (dim != int64_t(result.size()) - 1 || !operand[i].isStatic(1))
          return false;
    return sameRows(ofRows(broadcast.getOperand()));
  }

  /// True if a value has one element for each row, apart from dimensions of one index, or is one number.
  bool sameRows(Value value) {
    Dims rows(ArrayRef(dimsOf(found.product.getLhs())).drop_back());
    auto withoutUnits = [](Dims dims) {
      llvm::erase_if(dims, [](const Dim &dim) { return dim.isStatic(1); });
      return dims;
    };
    return dimsOf(value).empty() || withoutUnits(dimsOf(value)) == withoutUnits(rows);
  }

  /// Matches the exponentials and their divisor, which is `inside` where that differs from the repeated value.
  std::optional<SoftmaxProduct> matchParts(Value exponentials, Value divisor, Value inside = {}) {
    auto exp = exponentials.getDefiningOp<ExpOp>();
    auto shifted = exp ? exp.getOperand().getDefiningOp<SubOp>() : SubOp();
    if (!shifted || !shifted->hasOneUse() || !isRepeated(divisor) || !isRepeated(shifted.getRhs()))
      return {};
    found.scores = shifted.getLhs();
    Value offset = ofRows(shifted.getRhs()), total = ofRows(inside ? inside : divisor);
    TypedAttr blind;
    if (auto select = offset.getDefiningOp<SelectOp>()) {
      found.never = comparedWithMax(select.getPredicate());
      if (!found.never || !isNumber(select.getOnTrue(), 0))
        return {};
      offset = ofRows(select.getOnFalse());
    }
    if (auto select = total.getDefiningOp<SelectOp>()) {
      blind = comparedWithMax(select.getPredicate());
      if (!blind || !isNumber(select.getOnTrue(), 1))
        return {};
      total = ofRows(select.getOnFalse());
    }
    auto sum = total.getDefiningOp<ReduceOp>();
    if (blind != found.never || !isMax(offset) || !sum || sum.getKind() != ReduceKind::Sum || sum.getOperand() != exp ||
        !isOverKeys(sum))
      return {};
    found.largest = ofRows(offset);
    found.total = sum;
    bool onlyHere = llvm::range_size(exp->getUses()) == 2 && llvm::range_size(found.scores.getUses()) == 2;
    return onlyHere ? std::optional(found) : std::nullopt;
  }

  bool isOverKeys(ReduceOp reduce) { return reduce.getDims() == ArrayRef<int64_t>{found.keysDim()}; }

  bool isMax(Value value) {
    auto max = ofRows(value).getDefiningOp<ReduceOp>();
    return max && max.getKind() == ReduceKind::Max && max.getOperand() == found.scores && isOverKeys(max);
  }

  /// Returns the number that a predicate compares the largest scores with; null if it is another predicate.
  TypedAttr comparedWithMax(Value predicate) {
    auto compare = ofRows(predicate).getDefiningOp<CompareOp>();
    if (!compare || compare.getKind() != CompareKind::EQ)
      return {};
    for (unsigned i : {0, 1})
      if (isMax(compare->getOperand(i)))
        return splatOf(compare->getOperand(1 - i));
    return {};
  }

  SoftmaxProduct found;
};
} // namespace

std::optional<SoftmaxProduct> lathe::softmaxProductOf(DotGeneralOp product) { return Matcher(product).match(); }
