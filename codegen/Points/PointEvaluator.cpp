// The code of a value at a point of a kernel, or at `lanes` adjacent points in a vector:
//
//   a buffer     load at the point's offset: one scalar, a vector of adjacent elements, the halves of a vector, or a gather
//   a nest       for each input: the value at the index that its access maps to, or the access's fill where the guard is false;
//                then the ops of the nest's region, one instruction or inlined function each
//   a reduction  the value in `reduced`, which the loop around the point computed
//
// Each tensor is evaluated once for a point, index and mask (`known`). Lanes that `tail` or a mask excludes read and write
// nothing.
#include "codegen/Points/PointEvaluator.h"
#include "codegen/Points/HalfValues.h"
#include "codegen/Points/MathTarget.h"
#include "codegen/Points/RandomWords.h"
#include "codegen/Points/SharedCode.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/Threefry.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace lathe;

void PointEvaluator::nextPoint() {
  known.clear();
  reduced.clear();
  numbers.clear();
}

/// Returns an index that is a number with the value that all equal numbers have.
Index PointEvaluator::withOneNumber(Index index) {
  IntegerAttr number;
  if (index.isUniform() && matchPattern(index.base, m_Constant(&number)))
    index.base = numbers.try_emplace(number.getInt(), index.base).first->second;
  return index;
}

Value PointEvaluator::tensor(Value tensor, ArrayRef<Index> given, Value mask) {
  if (Value value = reduced.lookup(tensor))
    return value;
  SmallVector<Index> indices(given);
  if (countsIndices)
    for (Index &index : indices)
      index = withOneNumber(index);
  PlaceKey place;
  for (const Index &index : indices)
    place.push_back(index.key());
  auto key = std::make_tuple(tensor.getAsOpaquePointer(), static_cast<const void *>(mask.getAsOpaquePointer()), place);
  if (auto it = known.find(key); it != known.end())
    return it->second;
  Value value;
  if (auto buffer = kept.find(tensor); buffer != kept.end()) {
    SmallVector<Index> inBuffer;
    for (unsigned dim : buffer->second.dims)
      inBuffer.push_back(indices[dim]);
    value = load(buffer->second.buffer, buffer->second.type, inBuffer, mask);
  } else if (auto nest = tensor.getDefiningOp<NestOp>())
    value = reduce && nest.getReduction() != NestReduction::None ? reduce(nest, indices) : body(nest, indices, mask);
  else
    value = load(buffers.lookup(tensor), cast<RankedTensorType>(tensor.getType()), indices, mask);
  known[key] = value;
  return value;
}

SmallVector<Value> PointEvaluator::symbolsOf(NestOp nest) {
  SmallVector<Value> values;
  for (Attribute name : nest.getSymbols())
    values.push_back(symbols.at(cast<StringAttr>(name).getValue().str()));
  return values;
}

Value PointEvaluator::input(NestOp nest, unsigned number, Value from, ArrayRef<Index> dims, Value mask, bool isGuarded) {
  return read(nest, number, from, dims, symbolsOf(nest), mask, isGuarded);
}

PointEvaluator::Place PointEvaluator::placeOf(AccessAttr access, ArrayRef<Index> dims, ArrayRef<Value> symbolValues,
                                              bool isGuarded) {
  Place place;
  IntegerSet guard = access.getGuard().getValue();
  for (unsigned i = 0; isGuarded && i < guard.getNumConstraints(); ++i)
    place.inside = both(place.inside, holds(evaluate(guard.getConstraint(i), dims, symbolValues), guard.isEq(i)));
  for (AffineExpr expr : access.getMap().getValue().getResults())
    place.indices.push_back(evaluate(expr, dims, symbolValues));
  return place;
}

PointEvaluator::Source PointEvaluator::sourceOf(NestOp nest, unsigned number, Value from, ArrayRef<Index> dims,
                                                bool isGuarded) {
  auto [indices, inside] = placeOf(cast<AccessAttr>(nest.getAccesses()[number]), dims, symbolsOf(nest), isGuarded);
  auto type = cast<RankedTensorType>(from.getType());
  return {address(buffers.lookup(from), type.getElementType(), offset(type, indices).base), inside};
}

Value PointEvaluator::read(NestOp nest, unsigned input, Value from, ArrayRef<Index> dims, ArrayRef<Value> symbolValues,
                           Value mask, bool isGuarded) {
  auto access = cast<AccessAttr>(nest.getAccesses()[input]);
  auto [indices, inside] = placeOf(access, dims, symbolValues, isGuarded);
  bool isOutside = countsIndices && inside && matchPattern(inside, m_Zero());
  Value value = isOutside ? Value() : tensor(from, indices, both(mask, inside));
  if (!inside)
    return value;
  TypedAttr filled = access.getFill();
  Type element = cast<RankedTensorType>(from.getType()).getElementType();
  if (auto single = dyn_cast<FloatAttr>(filled);
      single && element != single.getType()) // the input may be replaced by halves, see input()
    filled = FloatAttr::get(element, single.getValueAsDouble());
  Value fill = constant(filled);
  if (isOutside)
    return fill;
  if (isa<VectorType>(inside.getType()) || isa<VectorType>(value.getType()))
    return b.createOrFold<arith::SelectOp>(loc, inside, splat(value), splat(fill));
  return b.createOrFold<arith::SelectOp>(loc, inside, value, fill);
}

Value PointEvaluator::body(NestOp nest, ArrayRef<Index> dims, Value mask) {
  llvm::SaveAndRestore<Location> line(loc, nest.getLoc()); // each fused op keeps its location in the graph
  SmallVector<Value> symbolValues = symbolsOf(nest);
  DenseMap<Value, Value> at;
  DenseMap<Value, Index> places; // of values that are sums of indices, so that contiguous accesses stay recognisable
  Block &block = nest.getBody().front();
  for (auto [i, argument] : llvm::enumerate(block.getArguments()))
    at[argument] = read(nest, i, nest.getInputs()[i], dims, symbolValues, mask, /*isGuarded=*/true);
  for (Operation &op : block.without_terminator()) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(at.lookup(operand)); // null for the tensor operand of lathe.element
    if (std::optional<Index> place = placeOf(&op, dims, operands, places)) {
      places[op.getResult(0)] = *place;
      at[op.getResult(0)] = materialize(*place);
      continue;
    }
    Value result =
        llvm::TypeSwitch<Operation *, Value>(&op)
            .Case([&](ExtentOp size) { return extent(Dim::fromAttr(size.getDim())); })
            .Case([&](ElementOp read) { return element(read, ArrayRef<Value>(operands).drop_front(), places, mask); })
            .Default([&](Operation *other) { return scalarOp(other, operands); });
    at[op.getResult(0)] = result;
  }
  return at.lookup(block.getTerminator()->getOperand(0));
}

std::optional<Index> PointEvaluator::placeOf(Operation *op, ArrayRef<Index> dims, ArrayRef<Value> operands,
                                             const DenseMap<Value, Index> &places) {
  if (auto index = dyn_cast<IndexOp>(op))
    return dims[index.getDim()];
  if (!isa<arith::AddIOp>(op) || !op->getResult(0).getType().isInteger(64))
    return std::nullopt;
  Index terms[2];
  for (int i : {0, 1}) {
    auto known = places.find(op->getOperand(i));
    if (known != places.end())
      terms[i] = known->second;
    else if (isa<VectorType>(operands[i].getType()))
      return std::nullopt;
    else
      terms[i] = uniform(operands[i]);
  }
  return plus(terms[0], terms[1]);
}

/// True if the index is that of a nest dimension whose extent equals `size`.
static bool isPlaceIn(Value index, const Dim &size) {
  auto place = index.getDefiningOp<IndexOp>();
  return place && dimsOf(cast<NestOp>(place->getParentOp()).getExtents())[place.getDim()] == size;
}

Value PointEvaluator::element(ElementOp op, ArrayRef<Value> values, const DenseMap<Value, Index> &places, Value mask) {
  auto type = cast<RankedTensorType>(op.getTensor().getType());
  SmallVector<Index> indices;
  Value inside;
  for (auto [operand, value, size] : llvm::zip_equal(op.getIndices(), values, dimsOf(type))) {
    auto known = places.find(operand);
    Index index = known != places.end()              ? known->second
                  : isa<VectorType>(value.getType()) ? Index{{}, 0, value}
                                                     : uniform(value);
    indices.push_back(index);
    if (op.getInside() || isPlaceIn(operand, size))
      continue;
    inside = both(inside, holds(index, false));
    Value last = sub(extent(size), i64(1));
    Index distance = isa<VectorType>(value.getType()) ? Index{{}, 0, sub(splat(last), value)} : uniform(sub(last, value));
    inside = both(inside, holds(distance, false));
  }
  Value value = tensor(op.getTensor(), indices, both(mask, inside));
  if (!inside)
    return value;
  Value zero = constant(memoryType(type.getElementType()), 0);
  if (type.getElementType().isInteger(1))
    zero = constant(b.getI1Type(), 0);
  if (isa<VectorType>(inside.getType()) || isa<VectorType>(value.getType()))
    return b.createOrFold<arith::SelectOp>(loc, inside, splat(value), splat(zero));
  return b.createOrFold<arith::SelectOp>(loc, inside, value, zero);
}

static bool isConstant(Value value) { return matchPattern(value, m_Constant()); }

/// Divides f32 values on a GPU, where a plain division takes some fifteen instructions.
Value PointEvaluator::divide(Operation *op, ArrayRef<Value> operands) {
  Type half = halfReadFrom(op->getResult(0));
  if (half && llvm::all_of(op->getOperands(), [&](Value operand) { return halfWidenedTo(operand) == half; }))
    return elementary::emitHalfQuotient(b, loc, operands[0], operands[1], half);
  bool mayApproximate = target.isFast && !op->hasAttr(kExactAttr);
  if (mayApproximate && isConstant(operands[1])) // LLVM folds its reciprocal
    return arith::DivFOp::create(b, loc, operands[0], operands[1], arith::FastMathFlags::arcp);
  if (mayApproximate)
    return elementary::emitApproximateQuotient(b, loc, operands[0], operands[1]);
  return arith::DivFOp::create(b, loc, operands[0], operands[1]);
}

/// Returns the operand whose maximum with +0 the op computes; null if it is another op.
static Value positivePartOf(Operation *op, ArrayRef<Value> values) {
  if (!isa<arith::MaximumFOp>(op))
    return {};
  for (unsigned i : {0, 1})
    if (matchPattern(values[i], m_PosZeroFloat()))
      return values[1 - i];
  return {};
}

/// The maximum with +0 in two instructions of x86-64, where the one for any operands takes four: a comparison that is false for
/// NaN and for zeros keeps these, and adding +0 turns -0 to +0.
static Value emitPositivePart(OpBuilder &b, Location loc, Value x) {
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(x.getType()));
  Value isNegative = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x, zero);
  return arith::AddFOp::create(b, loc, arith::SelectOp::create(b, loc, isNegative, zero, x), zero);
}

/// Returns the value of an elementary function, by a call of a function that kernels share if `isShared`.
static Value emitFunction(OpBuilder &b, Location loc, ApplyOp apply, ArrayRef<Value> values,
                          const elementary::MathTarget &features, bool isShared) {
  StringRef name = functionOf(apply);
  auto emit = [&](ArrayRef<Value> operands) {
    return elementary::emitMath(b, loc, name, operands, features, apply.getOrder().value_or(0));
  };
  if (!isShared)
    return emit(values);
  auto vector = dyn_cast<VectorType>(values[0].getType());
  std::string symbol = (name + "_" + nameOf(*elementOf(getElementTypeOrSelf(values[0].getType()))) + "_").str();
  symbol += std::to_string(vector ? vector.getNumElements() : 1);
  return callShared(b, loc, symbol, values, [&](ArrayRef<Value> given) { return SmallVector<Value>{emit(given)}; })[0];
}

/// True for the functions of which the normal numbers of initialisers consist, in a kernel that draws random words. Such a
/// kernel calls them: they are as long as the random words, and each variable has a kernel with them.
bool PointEvaluator::isOfNormal(ApplyOp apply) const {
  StringRef name = functionOf(apply);
  return words.first && !target.hasApproximations && (name == "log" || name == "cos");
}

/// Returns a truth value as 0 or 1 of a type of floats. A choice takes one instruction under a mask of AVX-512, or an `and`
/// with a mask of whole lanes, where a conversion takes three: it goes by way of integers.
Value PointEvaluator::emitZeroOrOne(Value truth, Type type) {
  bool isVector = isa<VectorType>(truth.getType());
  auto number = [&](double value) { return isVector ? splat(constant(type, value)) : constant(type, value); };
  return arith::SelectOp::create(b, loc, truth, number(1), number(0));
}

Value PointEvaluator::scalarOp(Operation *op, ArrayRef<Value> operands) {
  bool isVector = llvm::any_of(operands, [](Value value) { return isa<VectorType>(value.getType()); });
  SmallVector<Value> values;
  for (Value value : operands)
    values.push_back(isVector ? splat(value) : value);
  elementary::MathTarget features = mathTargetOf(target);
  Type type = op->getResult(0).getType();
  // A result that is rounded to a half anyway may be approximated.
  features.approximates = target.hasApproximations && type.isF32() && (target.isFast || halfReadFrom(op->getResult(0)));
  if (isa<arith::DivFOp>(op) && target.hasApproximations && type.isF32())
    return divide(op, values);
  if (auto apply = dyn_cast<ApplyOp>(op);
      apply && (apply.getFunction() == kThreefry || apply.getFunction() == kThreefrySecond)) {
    if (apply.getFunction() == kThreefry) // its second word, if any, is used behind it
      words = target.hasApproximations ? emitThreefry(b, loc, values) : callThreefry(b, loc, operands);
    return apply.getFunction() == kThreefry ? words.first : words.second;
  }
  if (auto apply = dyn_cast<ApplyOp>(op))
    return emitFunction(b, loc, apply, values, features, isOfNormal(apply));
  if (isa<arith::RemFOp>(op))
    return elementary::emitMath(b, loc, "rem", values, features);
  constexpr unsigned kWidestQuotient = 32; // bits that a float division gives
  bool isSigned = isa<arith::DivSIOp, arith::RemSIOp>(op), isRemainder = isa<arith::RemSIOp, arith::RemUIOp>(op);
  if ((isSigned || isRemainder || isa<arith::DivUIOp>(op)) && isVector && !isConstant(values[1]) &&
      type.getIntOrFloatBitWidth() <= kWidestQuotient)
    return elementary::emitDivide(b, loc, values[0], values[1], isSigned, isRemainder);
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return constant(constantOp.getValue());
  if (isa<arith::ExtFOp>(op) && isHalf(op->getOperand(0).getType())) {
    Value single = elementary::emitExtend(b, loc, values[0], op->getOperand(0).getType(), features);
    return type.isF32() ? single : arith::ExtFOp::create(b, loc, isVector ? vectorOf(type) : type, single).getResult();
  }
  if (isa<arith::BitcastOp>(op) && (isHalf(type) || isHalf(op->getOperand(0).getType())))
    return values[0]; // halves are kept as their bits
  if (isa<arith::TruncFOp>(op) && isHalf(type))
    return elementary::emitTruncate(b, loc, values[0], type, features);
  if (Value x = target.level > 0 ? positivePartOf(op, values) : Value())
    return emitPositivePart(b, loc, x);
  if (isa<arith::UIToFPOp>(op) && op->getOperand(0).getType().isInteger(1) && !isHalf(type))
    return emitZeroOrOne(values[0], type);
  type = registerType(type);
  OperationState state(loc, op->getName(), values, isVector ? vectorOf(type) : type, op->getAttrs());
  Operation *made = b.create(state);
  SmallVector<Value> folded; // fold, so that a constant divisor stays recognisable after its guard against 0
  if (isa<IntegerType>(type) && llvm::any_of(values, isConstant) && succeeded(b.tryFold(made, folded)) && !folded.empty()) {
    made->erase();
    return folded.front();
  }
  return made->getResult(0);
}

// ---- Memory

Type PointEvaluator::memoryType(Type element) const {
  return element.isInteger(1) ? b.getI8Type() : registerType(scalarOf(element));
}

Value PointEvaluator::fromMemory(Value value, Type element) {
  if (!element.isInteger(1))
    return value;
  Value zero = constant(b.getI8Type(), 0);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, isa<VectorType>(value.getType()) ? splat(zero) : zero);
}

Index PointEvaluator::offset(RankedTensorType type, ArrayRef<Index> indices) {
  Dims dims = dimsOf(type);
  Index sum = uniform(i64(0));
  Dim stride(1);
  for (size_t i = indices.size(); i-- > 0;) {
    sum = plus(sum, times(indices[i], extent(stride)));
    stride = stride * dims[i];
  }
  return sum;
}

Value PointEvaluator::address(Value buffer, Type element, Value offset) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  return LLVM::GEPOp::create(b, loc, pointer, memoryType(element), buffer, ArrayRef<LLVM::GEPArg>{offset});
}

/// Returns `address` where the mask holds, otherwise the null value's buffer, which can always be read.
Value PointEvaluator::orHarmless(Value address, Value mask) {
  return LLVM::SelectOp::create(b, loc, mask, address, buffers.lookup(Value()));
}

Value PointEvaluator::loadUniform(Value buffer, Type element, Value place, Value mask) {
  unsigned bytes = memoryType(element).getIntOrFloatBitWidth() / 8;
  Value from = address(buffer, element, place);
  if (mask)
    from = orHarmless(from, mask);
  return fromMemory(LLVM::LoadOp::create(b, loc, memoryType(element), from, bytes), element);
}

/// Fetches the lines of a vector of `bytes` that lies `fetchDistance` behind an address.
void PointEvaluator::fetchAhead(Value from, unsigned bytes) {
  constexpr int kRead = 0, kAllCaches = 3, kData = 1; // as LLVM numbers them
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  for (int64_t place = 0; place < bytes; place += VectorTarget::kCacheLineBytes) {
    Value line =
        LLVM::GEPOp::create(b, loc, pointer, b.getI8Type(), from, ArrayRef<LLVM::GEPArg>{int32_t(fetchDistance + place)});
    LLVM::Prefetch::create(b, loc, line, kRead, kAllCaches, kData);
  }
}

/// Loads the halves of the lanes from two places.
Value PointEvaluator::loadHalves(Value buffer, Type element, const Index &place) {
  if (place.step == 0)
    return join(loadUniform(buffer, element, place.base, {}), loadUniform(buffer, element, place.second, {}));
  Type stored = memoryType(element);
  Type half = VectorType::get(lanes / 2, stored);
  unsigned bytes = stored.getIntOrFloatBitWidth() / 8;
  auto from = [&](Value offset) -> Value {
    return LLVM::LoadOp::create(b, loc, half, address(buffer, element, offset), bytes);
  };
  return fromMemory(join(from(place.base), from(place.second)), element);
}

Value PointEvaluator::load(Value buffer, RankedTensorType type, ArrayRef<Index> indices, Value mask) {
  Type element = type.getElementType(), stored = memoryType(element);
  unsigned bytes = stored.getIntOrFloatBitWidth() / 8;
  Index place = offset(type, indices);
  if (place.isUniform() && (!mask || !isa<VectorType>(mask.getType())))
    return loadUniform(buffer, element, place.base, mask);
  Value all = both(mask, tail);
  if (place.second && place.step <= 1 && !all)
    return loadHalves(buffer, element, place);
  Type vector = vectorOf(stored);
  if (!place.vector && !place.second && place.step == 1) {
    Value from = address(buffer, element, place.base);
    if (fetchDistance)
      fetchAhead(from, bytes * lanes);
    if (all && alignsVectors && !isa<VectorType>(all.getType())) {
      from = orHarmless(from, all);
      all = {};
    }
    if (!all)
      return fromMemory(LLVM::LoadOp::create(b, loc, vector, from, alignsVectors ? bytes * lanes : bytes), element);
    Value zeros = splat(constant(stored, 0));
    return fromMemory(LLVM::MaskedLoadOp::create(b, loc, vector, from, splat(all), zeros, b.getI32IntegerAttr(bytes)), element);
  }
  if (!all)
    all = splat(arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value places = splat(materialize(place));
  Value from = LLVM::GEPOp::create(b, loc, VectorType::get(lanes, pointer), stored, buffer, ArrayRef<LLVM::GEPArg>{places});
  Value zeros = splat(constant(stored, 0));
  return fromMemory(
      LLVM::masked_gather::create(b, loc, vector, from, splat(all), ValueRange{zeros}, b.getI32IntegerAttr(bytes)), element);
}

void PointEvaluator::store(Value value, Value buffer, RankedTensorType type, ArrayRef<Index> indices) {
  Type element = type.getElementType(), stored = memoryType(element);
  unsigned bytes = stored.getIntOrFloatBitWidth() / 8;
  Index place = offset(type, indices);
  if (!place.isUniform())
    value = splat(value);
  if (element.isInteger(1))
    value = arith::ExtUIOp::create(b, loc, isa<VectorType>(value.getType()) ? vectorOf(stored) : stored, value);
  if (place.isUniform()) {
    LLVM::StoreOp::create(b, loc, value, address(buffer, element, place.base), bytes);
    return;
  }
  if (place.second && place.step == 1 && !tail) {
    LLVM::StoreOp::create(b, loc, halfOf(value, false), address(buffer, element, place.base), bytes);
    LLVM::StoreOp::create(b, loc, halfOf(value, true), address(buffer, element, place.second), bytes);
    return;
  }
  if (!place.vector && !place.second && place.step == 1) {
    Value to = address(buffer, element, place.base);
    if (tail)
      LLVM::MaskedStoreOp::create(b, loc, value, to, splat(tail), b.getI32IntegerAttr(bytes));
    else
      LLVM::StoreOp::create(b, loc, value, to, alignsVectors ? bytes * lanes : bytes);
    return;
  }
  Value all = tail ? tail : splat(arith::ConstantOp::create(b, loc, b.getBoolAttr(true)));
  auto pointer = LLVM::LLVMPointerType::get(b.getContext());
  Value to = LLVM::GEPOp::create(b, loc, VectorType::get(lanes, pointer), stored, buffer,
                                 ArrayRef<LLVM::GEPArg>{splat(materialize(place))});
  LLVM::masked_scatter::create(b, loc, value, to, all, b.getI32IntegerAttr(bytes));
}
