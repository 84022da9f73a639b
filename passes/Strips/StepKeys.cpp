#include "passes/Strips/StepKeys.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/SkippedKeys.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace lathe;

/// The largest size of inputs for which a step skips keys, and the largest number by which it multiplies products of them:
/// these are then finite, and so are sums of such products and of inputs.
static constexpr double kMostInput = 0x1p40, kMostFactor = 0x1p10;
/// The least number of keys that is worth a test: blocks of keys have this many or more.
static constexpr int64_t kLeastStepKeys = 128;
static constexpr int64_t kMostDepth = int64_t(1) << 16;

// ---- Values

bool StepKeys::isInside(Value value) const {
  auto kernel = dyn_cast_or_null<KernelOp>(value.getDefiningOp());
  return kernel && kernel->getBlock() == &body;
}

Value StepKeys::resolve(Value value) const {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp());
    if (!kernel)
      break;
    Value input = kernel.getInputs()[argument.getArgNumber()];
    if (!isInside(input))
      return input;
    value = cast<KernelOp>(input.getDefiningOp())
                .getBody()
                .front()
                .getTerminator()
                ->getOperand(cast<OpResult>(input).getResultNumber());
  }
  return value;
}

Value StepKeys::spread(Value value) const {
  value = resolve(value);
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = resolve(broadcast.getOperand());
  return value;
}

std::optional<double> StepKeys::numberOf(Value value) const {
  auto constant = spread(value).getDefiningOp<ConstantOp>();
  auto elements = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<FloatAttr>().getValueAsDouble();
}

static bool isFloat(Value value) {
  Type element = getElementTypeOrSelf(value.getType());
  return element.isF32() || element.isF64();
}

// ---- What is known of hidden keys

StepKeys::Known StepKeys::knownOf(Value value) {
  value = resolve(value);
  if (auto known = knowns.find(value); known != knowns.end())
    return known->second;
  Known found = compute(value);
  return knowns[value] = found;
}

/// Returns what is known of a value that is one of two.
static StepKeys::Known either(StepKeys::Known a, StepKeys::Known b) {
  using Known = StepKeys::Known;
  if (a == b)
    return a;
  bool isAny = llvm::is_contained({Known::Any, Known::Never}, a) || llvm::is_contained({Known::Any, Known::Never}, b);
  return isAny ? Known::Any : Known::Finite;
}

static StepKeys::Known ofNumber(double number) {
  using Known = StepKeys::Known;
  if (number == -std::numeric_limits<double>::infinity())
    return Known::Never;
  if (number == 0)
    return Known::Zero;
  return std::isfinite(number) && std::abs(number) <= kMostFactor ? Known::Divisor : Known::Any;
}

static bool isFinite(StepKeys::Known known) {
  using Known = StepKeys::Known;
  return known == Known::Finite || known == Known::Zero || known == Known::Divisor;
}

StepKeys::Known StepKeys::ofInput(Value value) {
  if (!isFloat(value))
    return Known::Any;
  bounded.insert(value);
  return Known::Finite;
}

StepKeys::Known StepKeys::compute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() == &body)
    return ofInput(value);
  if (std::optional<double> number = numberOf(value))
    return ofNumber(*number);
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return isWide(dot.getResult()) && isBounded(dot) ? Known::Finite : Known::Any;
  return llvm::TypeSwitch<Operation *, Known>(op)
      .Case([&](BroadcastOp broadcast) { return knownOf(broadcast.getOperand()); })
      .Case([&](SelectOp select) {
        if (spread(select.getPredicate()) == predicate)
          return knownOf(hidesFalse ? select.getOnFalse() : select.getOnTrue());
        return either(knownOf(select.getOnTrue()), knownOf(select.getOnFalse()));
      })
      .Case([&](ExpOp exp) { return knownOf(exp.getOperand()) == Known::Never ? Known::Zero : Known::Any; })
      .Case([&](NegOp neg) { return isFinite(knownOf(neg.getOperand())) ? knownOf(neg.getOperand()) : Known::Any; })
      .Case([&](DivOp div) { return ofDivision(div); })
      .Case([&](MulOp mul) { return ofProduct(mul); })
      .Case([&](ReduceOp reduce) { return ofReduce(reduce); })
      .Case<AddOp, SubOp>([&](Operation *other) { return ofArithmetic(other); })
      .Default([](Operation *) { return Known::Any; });
}

StepKeys::Known StepKeys::ofArithmetic(Operation *op) {
  Known left = knownOf(op->getOperand(0)), right = knownOf(op->getOperand(1));
  if (left == Known::Never && isFinite(right))
    return Known::Never;
  return isFinite(left) && isFinite(right) ? Known::Finite : Known::Any;
}

StepKeys::Known StepKeys::ofDivision(DivOp div) {
  Value divisor = spread(div.getRhs());
  Known right = knownOf(divisor);
  if (knownOf(div.getLhs()) != Known::Zero || !isFinite(right) || right == Known::Zero)
    return Known::Any;
  if (right == Known::Divisor)
    return Known::Zero;
  if (divisor.getDefiningOp() && divisor.getDefiningOp()->getBlock() != &body)
    return Known::Any;
  divisors.insert(divisor);
  return Known::Zero;
}

StepKeys::Known StepKeys::ofProduct(MulOp mul) {
  Known left = knownOf(mul.getLhs()), right = knownOf(mul.getRhs());
  bool areFinite = isFinite(left) && isFinite(right);
  if (areFinite && (left == Known::Zero || right == Known::Zero))
    return Known::Zero;
  for (unsigned i : {0, 1}) // times a number: at most one on the way from a product
    if (areFinite && numberOf(mul->getOperand(i)) && resolve(mul->getOperand(1 - i)).getDefiningOp<DotGeneralOp>())
      return Known::Finite;
  return Known::Any;
}

/// A row that sees a key has one of its scores as the largest, and the exponentials relative to it add up to 1 or more.
StepKeys::Known StepKeys::ofReduce(ReduceOp reduce) {
  if (!isOverKeys(reduce))
    return Known::Any;
  needsKeys = true;
  if (reduce.getKind() == ReduceKind::Max && resolve(reduce.getOperand()) == scores.getResult() &&
      isFinite(knownOf(hidesFalse ? scores.getOnTrue() : scores.getOnFalse())))
    return Known::Finite;
  auto exp = resolve(reduce.getOperand()).getDefiningOp<ExpOp>();
  auto shifted = exp ? resolve(exp.getOperand()).getDefiningOp<SubOp>() : SubOp();
  if (reduce.getKind() != ReduceKind::Sum || !shifted || resolve(shifted.getLhs()) != scores.getResult())
    return Known::Any;
  Value offset = spread(shifted.getRhs());
  if (auto select = offset.getDefiningOp<SelectOp>()) // another number for rows without keys
    offset = spread(select.getOnFalse());
  auto largest = offset.getDefiningOp<ReduceOp>();
  return largest && largest.getKind() == ReduceKind::Max && knownOf(offset) == Known::Finite ? Known::Divisor : Known::Any;
}

/// True if a product's operands are inputs of the step, and its sums are short enough to be finite.
bool StepKeys::isBounded(DotGeneralOp dot) {
  int64_t depth = 1;
  for (int64_t dim : dot.getLhsContract())
    depth *= dimsOf(dot.getLhs())[dim].isStatic() ? dimsOf(dot.getLhs())[dim].constant() : kMostDepth;
  auto isInput = [&](Value operand) {
    operand = resolve(operand);
    return (!operand.getDefiningOp() || operand.getDefiningOp()->getBlock() == &body) && knownOf(operand) == Known::Finite;
  };
  return depth <= kMostDepth && isInput(dot.getLhs()) && isInput(dot.getRhs());
}

bool StepKeys::isWideFloat(Value value) const { return isWide(value) && isFloat(value); }

bool StepKeys::isOverKeys(ReduceOp reduce) const {
  return isWide(reduce.getOperand()) && reduce.getDims() == ArrayRef<int64_t>{int64_t(wide.size()) - 1};
}

// ---- The kernels

/// Finds the scores: a product, of which hidden keys are set to -inf.
bool StepKeys::findScores() {
  for (KernelOp kernel : body.getOps<KernelOp>()) {
    if (kernel.getBody().getOps<DotGeneralOp>().empty())
      continue;
    for (auto select : kernel.getBody().getOps<SelectOp>())
      for (bool onFalse : {true, false}) {
        std::optional<double> number = numberOf(onFalse ? select.getOnFalse() : select.getOnTrue());
        if (!number || *number != -std::numeric_limits<double>::infinity() || !isFloat(select.getResult()))
          continue;
        scores = select;
        hidesFalse = onFalse;
        wide = dimsOf(select.getResult());
        predicate = spread(select.getPredicate()); // of the last such select
      }
    if (scores)
      return wide.size() >= 2 && wide.back().isStatic() && wide.back().constant() >= kLeastStepKeys;
  }
  return false;
}

/// Returns the dimension along which the kernel of a product may stop early; empty if there is none.
StringRef StepKeys::roleOfProduct(KernelOp kernel, DotGeneralOp dot) {
  if (!isFloat(dot.getResult()) || !kernel.getBody().getOps<ReduceOp>().empty() || !isMatrixInMemory(dot, 1, 2))
    return {};
  bool overRows = isMatrixInMemory(dot, 0, 2);
  if (!overRows && !isMatrixInMemory(dot, 0, 1))
    return {};
  if (isWide(dot.getResult()))
    return !overRows && knownOf(dot.getResult()) == Known::Finite ? StringRef(kSkipsColumns) : StringRef();
  bool isOfZeros = isWide(dot.getLhs()) && knownOf(dot.getLhs()) == Known::Zero && !isWide(dot.getRhs()) &&
                   knownOf(dot.getRhs()) == Known::Finite;
  if (!isOfZeros)
    return {};
  if (!overRows)
    return kSkipsDepth;
  auto add =
      kernel.getNumResults() == 1 ? kernel.getBody().front().getTerminator()->getOperand(0).getDefiningOp<AddOp>() : AddOp();
  for (unsigned i : {0, 1})
    if (add && add->getOperand(i) == dot.getResult() && isa<BlockArgument>(add->getOperand(1 - i)))
      return kSkipsRows;
  return {};
}

/// Returns the role of a kernel; nullopt if it may not run beside kernels that skip keys.
std::optional<StringRef> StepKeys::roleOf(KernelOp kernel) {
  auto isMatrix = [&](Value value) { return isWideFloat(value); };
  bool isConcerned = llvm::any_of(kernel.getInputs(), isMatrix);
  kernel.getBody().walk([&](Operation *op) { isConcerned |= llvm::any_of(op->getResults(), isMatrix); });
  if (!isConcerned)
    return StringRef();
  if (!isCompiled(kernel))
    return std::nullopt;
  auto products = kernel.getBody().getOps<DotGeneralOp>();
  if (kernel->hasAttr(kRowsAttr) && products.empty()) {
    for (ReduceOp reduce : kernel.getBody().getOps<ReduceOp>()) {
      Known terms = isOverKeys(reduce) ? knownOf(reduce.getOperand()) : Known::Any;
      if (reduce.getKind() == ReduceKind::Max ? terms != Known::Never
                                              : reduce.getKind() != ReduceKind::Sum || terms != Known::Zero)
        return std::nullopt;
    }
    needsKeys = true; // its reductions have terms
    return kSkipsElements;
  }
  if (!llvm::hasSingleElement(products))
    return std::nullopt;
  StringRef role = roleOfProduct(kernel, *products.begin());
  return role.empty() ? std::nullopt : std::optional(role);
}

bool StepKeys::isInputOfLoop(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &body && !llvm::is_contained(loop.getCarryArguments(), argument);
}

bool StepKeys::find() {
  if (!findScores())
    return false;
  for (Operation &op : body.without_terminator()) {
    auto kernel = dyn_cast<KernelOp>(op);
    std::optional<StringRef> role = kernel ? roleOf(kernel) : std::nullopt;
    if (!kernel ? op.getNumRegions() != 0 : !role)
      return false;
    if (kernel && !role->empty())
      roles.push_back({kernel, *role});
  }
  auto isReady = [&](Value input) {
    Operation *maker = input.getDefiningOp();
    return !maker || (maker->isBeforeInBlock(roles.front().first) && !isWideFloat(input));
  };
  return roles.size() > 2 && llvm::none_of(body.getTerminator()->getOperands(), [&](Value value) { return isWide(value); }) &&
         llvm::all_of(bounded, [&](Value value) { return isInputOfLoop(value); }) &&
         llvm::all_of(divisors, [&](Value value) { return isInputOfLoop(value); }) &&
         mask.set(scores, hidesFalse, [](BlockArgument) { return true; }) && llvm::all_of(mask.getInputs(), isReady);
}

// ---- The number of keys

/// Emits the largest or smallest of all elements, or of their sizes.
static Value emitExtreme(OpBuilder &builder, Location location, ReduceKind kind, Value value, bool ofSizes) {
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, dimsOf(value).size()));
  if (all.empty() && !ofSizes)
    return value;
  OpBuilder::InsertionGuard guard(builder);
  Type element = getElementTypeOrSelf(value.getType());
  Block *body = startKernel(builder, location, value, tensorOf(Dims(), element));
  Value each = body->getArgument(0);
  if (ofSizes)
    each = AbsOp::create(builder, location, each);
  if (!all.empty())
    each = ReduceOp::create(builder, location, kind, each, all);
  YieldOp::create(builder, location, each);
  return body->getParentOp()->getResult(0);
}

/// Emits, in front of the loop, 0 if its inputs are finite and not huge, or else the number of all keys.
Value StepKeys::emitBound() {
  OpBuilder builder(loop);
  Location location = loop.getLoc();
  SmallVector<Value> sizes;
  for (Value input : bounded)
    sizes.push_back(emitExtreme(builder, location, ReduceKind::Max, operandOf(cast<BlockArgument>(input)), true));
  size_t most = sizes.size();
  for (Value input : divisors)
    sizes.push_back(emitExtreme(builder, location, ReduceKind::Min, operandOf(cast<BlockArgument>(input)), true));
  Block *inside = startKernel(builder, location, sizes, countsOf(builder, {}));
  Value count = emitScalar(builder, location, builder.getI32IntegerAttr(0));
  Value all = emitScalar(builder, location, builder.getI32IntegerAttr(int32_t(wide.back().constant())));
  for (auto [i, size] : llvm::enumerate(inside->getArguments())) {
    bool isMost = i < most;
    Value limit =
        emitScalar(builder, location, numberAttr(getElementTypeOrSelf(size.getType()), isMost ? kMostInput : 1 / kMostInput));
    Value isGood = CompareOp::create(builder, location, isMost ? CompareKind::LE : CompareKind::GE, size, limit);
    count = SelectOp::create(builder, location, isGood, count, all);
  }
  YieldOp::create(builder, location, count);
  return inside->getParentOp()->getResult(0);
}

/// Emits, in front of the step's kernels, the number of keys that they compute: all of them if a query sees no key, and what is
/// known of the step's sums needs one.
Value StepKeys::emitCount(OpBuilder &builder, Value bound) {
  Location location = SelectOp(scores)->getLoc();
  Value last = mask.emitLast(builder);
  SmallVector<Value> inputs{emitExtreme(builder, location, ReduceKind::Max, last, false), bound};
  if (needsKeys)
    inputs.push_back(emitExtreme(builder, location, ReduceKind::Min, last, false));
  OpBuilder::InsertionGuard guard(builder);
  Block *inside = startKernel(builder, location, inputs, countsOf(builder, {}));
  Value count = MaxOp::create(builder, location, inside->getArgument(0), inside->getArgument(1));
  if (needsKeys) {
    Value one = emitScalar(builder, location, builder.getI32IntegerAttr(1));
    Value all = emitScalar(builder, location, builder.getI32IntegerAttr(int32_t(wide.back().constant())));
    Value seesKeys = CompareOp::create(builder, location, CompareKind::GE, inside->getArgument(2), one);
    count = SelectOp::create(builder, location, seesKeys, count, all);
  }
  YieldOp::create(builder, location, count);
  return inside->getParentOp()->getResult(0);
}

void StepKeys::limit() {
  Value bound = bringInto(&body, emitBound());
  OpBuilder builder(roles.front().first);
  Value count = emitCount(builder, bound);
  for (auto [kernel, role] : roles)
    setSkips(kernel, role, count);
}
