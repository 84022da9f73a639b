#include "dialects/Lathe/IR/EqualSizes.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/DimBounds.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace lathe;

/// Limit on reshapes: operands of an op and their dimensions are fewer.
static constexpr unsigned kMostReshapes = 64;

bool lathe::canBeEqual(const Dim &a, const Dim &b) {
  Dim difference = a - b;
  return !difference.isUnknown() && leastOf(difference, anySize) <= 0 && largestOf(difference, anySize) >= 0;
}

std::string lathe::equalityText(const Dim &a, const Dim &b) {
  auto broadcastIn = [](const Dim &dim) {
    std::optional<DerivedDim> formula = derivedDim(dim.str());
    return formula && formula->kind == DerivedDim::Broadcast ? formula : std::nullopt;
  };
  std::optional<DerivedDim> left = broadcastIn(a), right = broadcastIn(b);
  if (left && right && left->operands[0] == right->operands[1] && left->operands[1] == right->operands[0])
    return left->operands[0].str() + " == " + left->operands[1].str() + ", or one of them is 1";
  if (left && left->operands[1] == b)
    return left->operands[0].str() + " == " + b.str() + ", or " + left->operands[0].str() + " is 1";
  if (right && right->operands[1] == a)
    return a.str() + " == " + right->operands[0].str() + ", or " + right->operands[0].str() + " is 1";
  return a.str() + " == " + b.str();
}

static bool hasFormula(const Dim &dim) {
  SmallVector<std::string> factors;
  collectFactors(dim, factors);
  return llvm::any_of(factors, [](const std::string &factor) { return derivedDim(factor).has_value(); });
}

bool lathe::canBeEqualInText(const Dim &a, const Dim &b) { return (hasFormula(a) || hasFormula(b)) && canBeEqual(a, b); }

static Value checkedAs(OpBuilder &builder, Location location, Value value, ArrayRef<Dim> dims, StringRef neededBy) {
  auto reshape =
      ReshapeOp::create(builder, location, value, shapeOf(builder.getContext(), dims), /*checked=*/true, /*each=*/true);
  reshape->setAttr(kNeededByAttr, builder.getStringAttr(neededBy));
  return reshape;
}

bool lathe::takeAs(OpOperand &operand, Type type, const std::string &neededBy, MayBeEqual mayBeEqual) {
  if (operand.get().getType() == type)
    return true;
  auto from = dyn_cast<RankedTensorType>(operand.get().getType()), to = dyn_cast<RankedTensorType>(type);
  if (!from || !to || from.getRank() != to.getRank() || from.getElementType() != to.getElementType())
    return false;
  for (auto [a, b] : llvm::zip_equal(dimsOf(from), dimsOf(to)))
    if (a != b && !mayBeEqual(a, b))
      return false;
  OpBuilder builder(operand.getOwner());
  operand.set(checkedAs(builder, operand.getOwner()->getLoc(), operand.get(), dimsOf(to), neededBy));
  return true;
}

/// Reshapes the operands that have the size `from` to the size `to`. Returns false if none has it.
static bool replaceSize(OpBuilder &builder, Location location, StringRef op, MutableArrayRef<Value> operands, const Dim &from,
                        const Dim &to) {
  bool found = false;
  for (Value &operand : operands) {
    Dims dims = dimsOf(operand);
    if (!llvm::is_contained(dims, from))
      continue;
    llvm::replace(dims, from, to);
    operand = checkedAs(builder, location, operand, dims, op);
    found = true;
  }
  return found;
}

LogicalResult lathe::inferWithChecks(OpBuilder &builder, Location location, StringRef op, MutableArrayRef<Value> operands,
                                     MayBeEqual mayBeEqual, llvm::function_ref<LogicalResult(ValueRange)> infer) {
  for (unsigned attempt = 0;; ++attempt) {
    std::vector<Diagnostic> diagnostics;
    DimComparisons comparisons;
    {
      ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diagnostic) {
        diagnostics.push_back(std::move(diagnostic));
        return success();
      });
      if (succeeded(infer(operands)))
        return success();
    }
    auto &differing = comparisons.firstDiffering();
    if (differing && attempt < kMostReshapes && mayBeEqual(differing->first, differing->second)) {
      auto &[a, b] = *differing;
      bool keepsFirst = hasFormula(b) || !hasFormula(a); // plain sizes make better types
      const Dim &from = keepsFirst ? b : a, &to = keepsFirst ? a : b;
      if (replaceSize(builder, location, op, operands, from, to) || replaceSize(builder, location, op, operands, to, from))
        continue;
    }
    for (Diagnostic &diagnostic : diagnostics)
      builder.getContext()->getDiagEngine().emit(std::move(diagnostic));
    return failure();
  }
}

SmallVector<std::pair<Dim, Dim>> lathe::sizesTakenForEqual(Operation *op) {
  SmallVector<std::pair<Dim, Dim>> pairs;
  auto reshape = dyn_cast<ReshapeOp>(op);
  if (!reshape || !reshape.getChecked())
    return pairs;
  Dims from = dimsOf(reshape.getOperand()), to = dimsOf(reshape.getResult());
  if (!reshape.getEach()) {
    from = Dims{numElements(from).value_or(Dim::unknown())};
    to = Dims{numElements(to).value_or(Dim::unknown())};
  }
  for (auto [a, b] : llvm::zip_equal(from, to))
    if (a != b)
      pairs.emplace_back(a, b);
  return pairs;
}
