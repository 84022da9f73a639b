// Builders, verifiers and value groups of branches and loops.
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/Steps.h"

using namespace mlir;
using namespace lathe;

// ---- Helpers for passes

OperandRange lathe::carriesOf(Operation *op) {
  auto control = dyn_cast<ControlOpInterface>(op);
  return control ? control.getCarry() : op->getOperands().take_front(0);
}

void lathe::addConst(Operation *control, Value value) {
  unsigned index = constsOf(control).size();
  cast<ControlOpInterface>(control).getConstsMutable().append(value);
  for (Region &region : control->getRegions())
    region.front().insertArgument(index, value.getType(), value.getLoc());
}

Value lathe::operandOf(BlockArgument argument) {
  auto control = dyn_cast_or_null<ControlOpInterface>(argument.getOwner()->getParentOp());
  return control ? control->getOperand(control.getNumLeadingOperands() + argument.getArgNumber()) : Value();
}

Value lathe::constOf(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  auto control = argument ? dyn_cast_or_null<ControlOpInterface>(argument.getOwner()->getParentOp()) : ControlOpInterface();
  return control && argument.getArgNumber() < control.getConsts().size() ? operandOf(argument) : Value();
}

/// True if `at` is inside `region`. While text is parsed, regions have no parent op yet.
static bool isInside(Region *at, Region *region) {
  while (at && at != region)
    at = at->getParentOp() ? at->getParentOp()->getParentRegion() : nullptr;
  return at;
}

SmallVector<Value> lathe::captureConsts(ArrayRef<Region *> regions, unsigned known) {
  llvm::SetVector<Value> captured;
  for (Region *region : regions)
    region->walk([&](Operation *op) {
      for (Value operand : op->getOperands())
        if (!isInside(operand.getParentRegion(), region))
          captured.insert(operand);
    });
  for (size_t i = 0; i < captured.size(); ++i)
    for (Region *region : regions) {
      Value value = captured[i];
      BlockArgument inside = region->front().insertArgument(known + i, value.getType(), value.getLoc());
      value.replaceUsesWithIf(inside, [&](OpOperand &use) { return isInside(use.getOwner()->getParentRegion(), region); });
    }
  return captured.takeVector();
}

void lathe::closeRegions(Operation *control) {
  unsigned known = constsOf(control).size();
  SmallVector<Region *> regions;
  for (Region &region : control->getRegions())
    regions.push_back(&region);
  SmallVector<Value> captured = captureConsts(regions, known);
  cast<ControlOpInterface>(control).getConstsMutable().append(captured);
}

Value lathe::bringInto(Block *inside, Value value) {
  if (inside == value.getParentBlock())
    return value;
  Operation *control = inside->getParentOp();
  Value outside = bringInto(control->getBlock(), value);
  unsigned index = llvm::find(constsOf(control), outside) - constsOf(control).begin();
  if (index == constsOf(control).size())
    addConst(control, outside);
  return inside->getArgument(index);
}

bool lathe::mayFail(Operation *op) {
  WalkResult walked = op->walk([](Operation *each) {
    auto loop = dyn_cast<WhileOp>(each);
    bool isExchange = isa<CollectiveOpInterface, CollectiveWaitOp>(each) && !isa<AxisIndexOp>(each);
    bool fails = isExchange || isa<ExternOp, AssertOp, CheckOp>(each) || (loop && loop.getBound());
    return fails ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walked.wasInterrupted();
}

RankedTensorType lathe::sliceOf(RankedTensorType stack, int64_t dim) {
  Dims dims = dimsOf(stack);
  dims.erase(dims.begin() + dim);
  return tensorOf(dims, stack.getElementType());
}

RankedTensorType lathe::stackOf(RankedTensorType slice, int64_t dim, const Dim &steps) {
  Dims dims = dimsOf(slice);
  dims.insert(dims.begin() + dim, steps);
  return tensorOf(dims, slice.getElementType());
}

static SmallVector<Type> slicesOf(TypeRange stacks, int64_t dim) {
  return llvm::map_to_vector(stacks, [&](Type type) -> Type { return sliceOf(cast<RankedTensorType>(type), dim); });
}

// ---- Builders

/// Adds a region of one block, whose arguments have the types of `values`, then `more`.
static void addRegion(OpBuilder &builder, OperationState &state, ArrayRef<ValueRange> values, TypeRange more = {}) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types;
  SmallVector<Location> places;
  for (ValueRange group : values)
    for (Value value : group) {
      types.push_back(value.getType());
      places.push_back(value.getLoc());
    }
  llvm::append_range(types, more);
  places.append(more.size(), state.location);
  builder.createBlock(state.addRegion(), {}, types, places);
}

void IfOp::build(OpBuilder &builder, OperationState &state, TypeRange outputs, Value predicate, ValueRange consts) {
  state.addOperands(predicate);
  state.addOperands(consts);
  state.addTypes(outputs);
  addRegion(builder, state, {consts, ValueRange()});
  addRegion(builder, state, {consts, ValueRange()});
}

void ScanOp::build(OpBuilder &builder, OperationState &state, Value length, ValueRange consts, ValueRange carry, ValueRange xs,
                   ShapeAttr trip, TypeRange collected, bool reverse, IntegerAttr checkpoint) {
  if (length)
    state.addOperands(length);
  for (ValueRange group : {consts, carry, xs})
    state.addOperands(group);
  Properties &properties = state.getOrAddProperties<Properties>();
  llvm::copy(ArrayRef<int32_t>{length ? 1 : 0, int32_t(consts.size()), int32_t(carry.size()), int32_t(xs.size())},
             properties.operandSegmentSizes.begin());
  properties.trip = trip;
  properties.dim = builder.getI64IntegerAttr(0);
  properties.reverse = reverse ? builder.getUnitAttr() : UnitAttr();
  properties.checkpoint = checkpoint;
  state.addTypes(carry.getTypes());
  Dim steps = xs.empty() ? dimsOf(trip).front() : dimsOf(xs.front()).front();
  for (Type type : collected)
    state.addTypes(stackOf(cast<RankedTensorType>(type), 0, steps));
  addRegion(builder, state, {consts, carry}, slicesOf(xs.getTypes(), 0));
}

void WhileOp::build(OpBuilder &builder, OperationState &state, ValueRange consts, ValueRange carry, IntegerAttr bound,
                    IntegerAttr checkpoint) {
  state.addOperands(consts);
  state.addOperands(carry);
  Properties &properties = state.getOrAddProperties<Properties>();
  llvm::copy(ArrayRef<int32_t>{int32_t(consts.size()), int32_t(carry.size())}, properties.operandSegmentSizes.begin());
  properties.bound = bound;
  properties.checkpoint = checkpoint;
  state.addTypes(carry.getTypes());
  addRegion(builder, state, {consts, carry});
  addRegion(builder, state, {consts, carry});
}

void CheckpointOp::build(OpBuilder &builder, OperationState &state, TypeRange outputs, ValueRange consts) {
  state.addOperands(consts);
  state.addTypes(outputs);
  addRegion(builder, state, {consts, ValueRange()});
}

// ---- Groups

Dim ScanOp::getSteps() {
  if (!getXs().empty())
    return dimsOf(getXs().front())[getDim()];
  return dimsOf(*getTrip()).front();
}

Block::BlockArgListType ScanOp::getConstArguments() { return getBody().getArguments().take_front(getConsts().size()); }
Block::BlockArgListType ScanOp::getSliceArguments() { return getBody().getArguments().take_back(getXs().size()); }

void WhileOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  // A loop's termination is part of the entry's status, so the loop stays even if its results are unused. An op with a read
  // effect would not stay.
  if (!getBound())
    return;
  if ((*this)->hasAttr(kMadeOfLoopAttr))
    effects.emplace_back(MemoryEffects::Read::get());
  else
    effects.emplace_back(MemoryEffects::Write::get());
}

// ---- Verifiers

/// True if the types are equal, or may be while dimensions have no names yet.
static bool mayBeOne(Type a, Type b) {
  auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
  if (!left || !right)
    return a == b;
  return left.getElementType() == right.getElementType() && left.getRank() == right.getRank() &&
         llvm::all_of(llvm::zip_equal(dimsOf(left), dimsOf(right)),
                      [](auto pair) { return mayEqual(std::get<0>(pair), std::get<1>(pair)); });
}

static LogicalResult checkTypes(Operation *at, StringRef what, TypeRange types, TypeRange expected, StringRef from) {
  if (types.size() != expected.size())
    return at->emitOpError() << what << ": expected " << expected.size() << ", one for each of the " << from << ", got "
                             << types.size();
  for (auto [i, type, wanted] : llvm::enumerate(types, expected))
    if (!mayBeOne(type, wanted))
      return at->emitOpError() << what << " " << i << " is " << type << ", expected " << wanted << " of " << from;
  return success();
}

static LogicalResult checkArguments(Operation *op, Region &region, ArrayRef<Type> expected, StringRef groups) {
  return checkTypes(op, "body argument", region.getArgumentTypes(), expected, groups);
}

/// Returns the yield that ends a region.
static FailureOr<YieldOp> yieldOf(Operation *op, Region &region) {
  auto yield = dyn_cast<YieldOp>(region.front().back());
  if (!yield)
    return op->emitOpError("a body ends in '") << region.front().back().getName() << "', expected lathe.yield", failure();
  return yield;
}

static LogicalResult checkCheckpoint(Operation *op, std::optional<int64_t> checkpoint) {
  if (checkpoint && *checkpoint < 0)
    return op->emitOpError("'checkpoint every' is ") << *checkpoint << ", expected a positive number of steps";
  return success();
}

static SmallVector<Type> typesOf(ValueRange first, ValueRange second) {
  SmallVector<Type> types(first.getTypes());
  llvm::append_range(types, second.getTypes());
  return types;
}

/// Checks (C1) and (C2) of ops that run their regions once.
static LogicalResult checkBranches(Operation *op) {
  for (Region &region : op->getRegions()) {
    FailureOr<YieldOp> yield = yieldOf(op, region);
    if (failed(checkArguments(op, region, typesOf(constsOf(op), {}), "consts")) || failed(yield) ||
        failed(checkTypes(*yield, "value", yield->getOperandTypes(), op->getResultTypes(),
                          ("results of the " + op->getName().getStringRef()).str())))
      return failure();
  }
  return success();
}

LogicalResult IfOp::verify() { return checkBranches(*this); }
LogicalResult CheckpointOp::verify() { return checkBranches(*this); }

LogicalResult lathe::checkTrip(ScanOp scan) {
  Dim steps = scan.getSteps();
  if (!steps.isStatic() || steps.constant() >= 0)
    return success();
  return scan.emitOpError("'trip' is ") << steps.str() << ", expected 0 or more steps";
}

/// Checks (C3) to (C5).
static LogicalResult checkSteps(ScanOp scan) {
  int64_t dim = scan.getDim();
  if (dim < 0)
    return scan.emitOpError("'dim' is ") << dim << ", expected 0 or more";
  for (auto [i, type] : llvm::enumerate(scan.getXs().getTypes()))
    if (dim >= cast<RankedTensorType>(type).getRank())
      return scan.emitOpError("'dim' is ") << dim << ", but operand " << i << " of 'xs' has rank "
                                           << cast<RankedTensorType>(type).getRank();
  for (auto [i, type] : llvm::enumerate(scan.getStacks().getTypes()))
    if (dim >= cast<RankedTensorType>(type).getRank())
      return scan.emitOpError("'dim' is ") << dim << ", but stack " << i << " of the results has rank "
                                           << cast<RankedTensorType>(type).getRank();
  std::optional<ShapeAttr> trip = scan.getTrip();
  if (trip ? trip->getDims().size() != 1 : scan.getXs().empty())
    return scan.emitOpError("needs 'over' or 'trip' with one dimension to know the number of steps");
  if (failed(checkTrip(scan)))
    return failure();
  Dim steps = scan.getSteps();
  if (trip && !mayEqual(dimsOf(*trip).front(), steps))
    return scan.emitOpError("'trip' is ") << dimsOf(*trip).front().str() << ", but 'xs' have " << steps.str() << " slices";
  for (auto [i, value] : llvm::enumerate(scan.getXs()))
    if (Dim other = dimsOf(value)[dim]; !mayEqual(other, steps))
      return scan.emitOpError("operand 0 of 'xs' has ")
             << steps.str() << " slices along dimension " << dim << ", but operand " << i << " has " << other.str();
  return success();
}

LogicalResult ScanOp::verify() {
  if (getNumResults() < getCarry().size())
    return emitOpError("has ") << getNumResults() << " results, expected one for each of the " << getCarry().size()
                               << " carries, then the stacks";
  if (failed(checkSteps(*this)))
    return failure();
  SmallVector<Type> arguments = typesOf(getConsts(), getCarry());
  llvm::append_range(arguments, slicesOf(getXs().getTypes(), getDim()));
  FailureOr<YieldOp> yield = yieldOf(*this, getBody());
  if (failed(yield) || failed(checkArguments(*this, getBody(), arguments, "consts, carries and slices")))
    return failure();
  SmallVector<Type> yielded(getCarry().getTypes());
  llvm::append_range(yielded, slicesOf(getStacks().getTypes(), getDim()));
  if (failed(
          checkTypes(*yield, "value", yield->getOperandTypes(), yielded, "carries and collected values of the lathe.scan")) ||
      failed(
          checkTypes(*this, "result", getResults().take_front(getCarry().size()).getTypes(), getCarry().getTypes(), "carries")))
    return failure();
  for (auto [i, type] : llvm::enumerate(getStacks().getTypes()))
    if (Dim slots = dimsOf(cast<RankedTensorType>(type))[getDim()]; !mayEqual(slots, getSteps()))
      return emitOpError("stack ") << i << " of the results is " << type << ", but there are " << getSteps().str() << " steps";
  return checkCheckpoint(*this, getCheckpoint());
}

int64_t lathe::declaredBound(WhileOp loop) {
  auto declared = loop->getAttrOfType<IntegerAttr>(kDeclaredBoundAttr);
  return declared ? declared.getInt() : int64_t(*loop.getBound());
}

LogicalResult WhileOp::verify() {
  if (getCarry().empty())
    return emitOpError("has no carry: its condition would never change");
  if (getBound() && int64_t(*getBound()) < 1)
    return emitOpError("'bound' is ") << int64_t(*getBound()) << ", expected a positive number of steps";
  SmallVector<Type> arguments = typesOf(getConsts(), getCarry());
  for (Region *region : {&getCondition(), &getBody()})
    if (failed(checkArguments(*this, *region, arguments, "consts and carries")))
      return failure();
  if (!isa<ConditionOp>(getCondition().front().back()))
    return emitOpError("the condition ends in '") << getCondition().front().back().getName() << "', expected lathe.condition";
  FailureOr<YieldOp> yield = yieldOf(*this, getBody());
  if (failed(yield) ||
      failed(checkTypes(*yield, "value", yield->getOperandTypes(), getCarry().getTypes(), "carries of the lathe.while")) ||
      failed(checkTypes(*this, "result", getResultTypes(), getCarry().getTypes(), "carries")))
    return failure();
  return checkCheckpoint(*this, getCheckpoint());
}
