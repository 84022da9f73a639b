#include "lib/Import/StableHLO/Operators/Loops.h"
#include "dialects/Lathe/IR/Control.h"
#include "lib/Import/StableHLO/Operators/Bodies.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

// ---- Counters, in the program

/// Returns the carry that is an argument of a region's block, or nullopt.
static std::optional<unsigned> carryOf(Value value, Region &region) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == &region.front() ? std::optional(argument.getArgNumber()) : std::nullopt;
}

/// Returns the integer that a value has in the program: a constant in a region, or an outer value that is one.
static std::optional<int64_t> knownInteger(HloNode &node, Value value) {
  if (Operation *op = value.getDefiningOp(); op && op->getName().getStringRef() == "stablehlo.constant") {
    auto elements = op->getAttrOfType<DenseIntElementsAttr>("value");
    if (elements && elements.getNumElements() == 1)
      return elements.getType().getElementType().isUnsignedInteger() ? (*elements.begin()).getZExtValue()
                                                                     : (*elements.begin()).getSExtValue();
    return std::nullopt;
  }
  return integerOf(node.frame.find(value));
}

/// Returns the comparison `counter DIRECTION limit` that a condition consists of, with the counter on the left.
static std::optional<std::pair<StringRef, unsigned>> conditionOf(Region &region, Value &limit) {
  Operation &end = region.front().back();
  Operation *compare = end.getNumOperands() == 1 ? end.getOperand(0).getDefiningOp() : nullptr;
  if (!compare || compare->getName().getStringRef() != "stablehlo.compare" || compare->getBlock() != &region.front())
    return std::nullopt;
  for (Operation &op : region.front().without_terminator())
    if (&op != compare && op.getName().getStringRef() != "stablehlo.constant")
      return std::nullopt;
  StringRef direction = compare->getAttrOfType<StringAttr>("comparison_direction").getValue();
  static const std::pair<StringRef, StringRef> kSwapped[] = {
      {"LT", "GT"}, {"LE", "GE"}, {"GT", "LT"}, {"GE", "LE"}, {"NE", "NE"}};
  for (auto [name, swapped] : kSwapped)
    for (int side : {0, 1}) {
      std::optional<unsigned> carry = carryOf(compare->getOperand(side), region);
      if (direction != name || !carry)
        continue;
      limit = compare->getOperand(1 - side);
      return std::pair(side ? swapped : name, *carry);
    }
  return std::nullopt;
}

/// Returns the constant that a step adds to a carry, or nullopt.
static std::optional<int64_t> stepOf(HloNode &node, unsigned carry) {
  Region &body = node.op->getRegion(1);
  Operation *op = body.front().back().getOperand(carry).getDefiningOp();
  if (!op || op->getBlock() != &body.front() || op->getNumOperands() != 2)
    return std::nullopt;
  StringRef name = op->getName().getStringRef();
  for (int side : {0, 1}) {
    if (carryOf(op->getOperand(side), body) != carry)
      continue;
    std::optional<int64_t> added = knownInteger(node, op->getOperand(1 - side));
    if (added && name == "stablehlo.add")
      return added;
    if (added && name == "stablehlo.subtract" && side == 0)
      return -*added;
  }
  return std::nullopt;
}

std::optional<Count> hloimport::countOf(HloNode &node) {
  constexpr int64_t kMost = int64_t(1) << 31;
  Region &condition = node.op->getRegion(0), &body = node.op->getRegion(1);
  auto isWhole = [&](Region &region) {
    return region.hasOneBlock() && !region.front().empty() && region.front().getNumArguments() == node.operands();
  };
  if (!isWhole(condition) || !isWhole(body) || body.front().back().getNumOperands() != node.operands()) {
    node.refuse("expected two regions with an argument for each operand");
    return std::nullopt;
  }
  Value limit;
  auto compared = conditionOf(condition, limit);
  if (!compared)
    return std::nullopt;
  auto [direction, carry] = *compared;
  std::optional<int64_t> end = knownInteger(node, limit), start = integerOf(node.operand(carry)), step = stepOf(node, carry);
  if (std::optional<unsigned> other = carryOf(limit, condition);
      other && carryOf(body.front().back().getOperand(*other), body) == other) // a carry that no step changes
    end = integerOf(node.operand(*other));
  if (!end || !start || !step || *step == 0 || rankOf(node.operand(carry)) != 0 || std::abs(*end) > kMost ||
      std::abs(*start) > kMost || std::abs(*step) > kMost)
    return std::nullopt;
  bool isUp = *step > 0;
  if ((direction == "LT" || direction == "LE") != isUp && direction != "NE")
    return std::nullopt;
  int64_t distance = isUp ? *end - *start : *start - *end, pace = std::abs(*step);
  if (direction == "NE" && (distance < 0 || distance % pace))
    return std::nullopt;
  if (direction == "LE" || direction == "GE")
    ++distance;
  return Count{carry, *start, *step, std::max<int64_t>(0, (distance + pace - 1) / pace)};
}

// ---- The scan

namespace {
/// Numbers that change by the same amount from step to step.
struct Places {
  int64_t first, pace, last;

  int64_t low() const { return std::min(first, last); }
  int64_t high() const { return std::max(first, last); }
  bool operator==(const Places &other) const { return first == other.first && last == other.last && pace == other.pace; }
};

/// A sequence of the scan: the elements at some places of an operand.
struct Sequence {
  Value operand;
  Places places;
};

/// A result of the loop that consists of what the steps write at some places, and elsewhere of its first value.
struct Stack {
  unsigned carry;
  Value first, part;
  Places places;
};

/// The body of a scan in the making: a block whose arguments are the carries and then the slices.
class Steps {
public:
  Steps(HloNode &node, const Count &count) : node(node), count(count), place(node.op->getLoc()) {}

  /// Imports the body. Returns false after a refusal.
  bool importBody();
  /// Finds sequences and stacks among what the body slices and updates at the counter.
  void findSequences();
  /// Emits the scan and sets the results of the loop.
  void finish();

private:
  /// Returns the value of an index of the body in each step; nullopt unless it is the counter, times a constant plus a
  /// constant.
  std::optional<Places> placesOf(Value index);
  /// Returns the places along the first dimension of a tensor of which each step reads or writes one, and all of the others;
  /// nullopt if the starts or the part are others, or a place is out of bounds.
  std::optional<Places> placesIn(ArrayRef<Dim> whole, ArrayRef<Dim> part, ValueRange starts);
  void takeSequence(DynamicSliceOp op);
  void takeStack(unsigned carry);

  HloNode &node;
  const Count &count;
  Location place;
  Block block;
  Value counter;
  SmallVector<Value> first, ends;  // of the carries
  SmallVector<int> places;         // of the loop's operands among the carries; -1 for others
  SmallVector<Sequence> sequences; // read by the slices, after the counter
  SmallVector<Stack> stacks;
};
} // namespace

bool Steps::importBody() {
  OpBuilder &builder = node.getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  Region &body = node.op->getRegion(1);
  SmallVector<Value> arguments;
  for (unsigned i = 0; i < node.operands(); ++i) {
    Value value = node.operand(i), end = body.front().back().getOperand(i);
    bool isSame = end == body.front().getArgument(i);
    places.push_back(isSame || i == count.carry ? -1 : int(first.size()));
    arguments.push_back(isSame ? value : Value());
    if (places.back() >= 0) {
      first.push_back(value);
      arguments.back() = block.addArgument(value.getType(), place);
    }
  }
  counter = block.addArgument(node.operand(count.carry).getType(), place);
  arguments[count.carry] = counter;
  builder.setInsertionPointToEnd(&block);
  SmallVector<Value> next = node.inlineRegion(body, arguments);
  if (node.failed())
    return false;
  for (auto [at, value] : llvm::zip(places, next))
    if (at >= 0)
      ends.push_back(value);
  if (ValueRange(first).getTypes() != ValueRange(ends).getTypes())
    node.refuse("the values after a step must have the types of those before it");
  return !node.failed();
}

std::optional<Places> Steps::placesOf(Value index) {
  auto scaled = [&](std::optional<Places> of, int64_t factor, int64_t offset) -> std::optional<Places> {
    constexpr int64_t kMost = INT32_MAX; // no step may wrap around, whatever the type
    auto isSmall = [](int64_t number) { return std::abs(number) <= kMost; };
    if (!of || !isSmall(factor) || !isSmall(offset))
      return std::nullopt;
    Places made{of->first * factor + offset, of->pace * factor, of->last * factor + offset};
    bool isUnsigned = elementOfValue(index).isUnsignedInteger();
    if (!isSmall(made.first) || !isSmall(made.last) || !isSmall(made.pace) || (isUnsigned && made.low() < 0))
      return std::nullopt;
    return made;
  };
  if (index == counter)
    return Places{count.start, count.step, count.start + count.step * (count.trip - 1)};
  Operation *op = index.getDefiningOp();
  if (!op || op->getBlock() != &block)
    return std::nullopt;
  if (isa<ConvertOp>(op) || isa<ReshapeOp>(op))
    return elementOfValue(index).getIntOrFloatBitWidth() < 32 ? std::nullopt : placesOf(op->getOperand(0));
  if (auto select = dyn_cast<SelectOp>(op)) { // an index that may be negative: select(i < 0, i + size, i)
    auto compare = select.getPredicate().getDefiningOp<CompareOp>();
    std::optional<Places> plain = placesOf(select.getOnFalse());
    if (!plain || !compare || compare.getKind() != CompareKind::LT || integerOf(compare.getRhs()) != 0 ||
        compare.getLhs() != select.getOnFalse() || (plain->low() < 0 && plain->high() >= 0))
      return std::nullopt;
    return plain->low() < 0 ? placesOf(select.getOnTrue()) : plain;
  }
  if (op->getNumOperands() != 2)
    return std::nullopt;
  for (int side : {0, 1}) {
    std::optional<int64_t> number = integerOf(op->getOperand(side));
    if (!number)
      continue;
    Value other = op->getOperand(1 - side);
    if (isa<AddOp>(op))
      return scaled(placesOf(other), 1, *number);
    if (isa<MulOp>(op))
      return scaled(placesOf(other), *number, 0);
    if (isa<SubOp>(op))
      return side == 0 ? scaled(placesOf(other), -1, *number) : scaled(placesOf(other), 1, -*number);
  }
  return std::nullopt;
}

std::optional<Places> Steps::placesIn(ArrayRef<Dim> whole, ArrayRef<Dim> part, ValueRange starts) {
  if (whole.empty() || !whole[0].isStatic() || part[0] != Dim(1) || whole.drop_front() != part.drop_front() ||
      llvm::any_of(starts.drop_front(), [](Value start) { return integerOf(start) != 0; }))
    return std::nullopt;
  std::optional<Places> found = placesOf(starts[0]);
  bool isInside = found && (found->pace != 0 || count.trip == 1) && found->low() >= 0 && found->high() < whole[0].constant();
  return isInside ? found : std::nullopt;
}

void Steps::takeSequence(DynamicSliceOp op) {
  Value operand = op.getOperand();
  if (operand.getParentBlock() == &block)
    return;
  std::optional<Places> at = placesIn(dimsOf(operand), dimsOf(op.getResult()), op.getStarts());
  if (!at)
    return;
  auto found = llvm::find_if(sequences, [&](const Sequence &each) { return each.operand == operand && each.places == *at; });
  unsigned index = found - sequences.begin();
  if (found == sequences.end()) {
    sequences.push_back({operand, *at});
    Dims dims = dimsOf(operand);
    dims[0] = Dim(count.trip);
    block.addArgument(sliceOf(tensorOf(dims, elementOfValue(operand)), 0), place);
  }
  OpBuilder &builder = node.getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(op);
  op.getResult().replaceAllUsesWith(node.reshape(block.getArgument(first.size() + 1 + index), dimsOf(op.getResult())));
  op.erase();
}

void Steps::takeStack(unsigned carry) {
  unsigned at = places[carry];
  Value argument = block.getArgument(at);
  auto update = ends[at].getDefiningOp<DynamicUpdateSliceOp>();
  if (!update || update->getBlock() != &block || update.getOperand() != argument || !argument.hasOneUse() ||
      !update.getResult().use_empty() || llvm::count(ends, ends[at]) != 1)
    return;
  std::optional<Places> written = placesIn(dimsOf(argument), dimsOf(update.getUpdate()), update.getStarts());
  if (!written || (std::abs(written->pace) != 1 && count.trip != 1))
    return;
  OpBuilder &builder = node.getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPoint(update);
  Dims dims = dimsOf(update.getUpdate());
  Value part = node.reshape(update.getUpdate(), ArrayRef(dims).drop_front());
  stacks.push_back({carry, first[at], part, *written});
  update.erase();
  block.eraseArgument(at);
  first.erase(first.begin() + at);
  ends.erase(ends.begin() + at);
  places[carry] = -1;
  for (int &place : places)
    place -= place > int(at);
}

void Steps::findSequences() {
  for (Operation &op : llvm::make_early_inc_range(block))
    if (auto slice = dyn_cast<DynamicSliceOp>(op))
      takeSequence(slice);
  for (unsigned i = 0; i < places.size(); ++i)
    if (places[i] >= 0)
      takeStack(i);
}

/// Returns the elements of an operand that a sequence has, in the order of the steps.
static Value elementsOf(HloNode &node, const Sequence &sequence) {
  const Places &places = sequence.places;
  Value taken =
      node.slice(sequence.operand, 0, Dim(places.low()), Dim(places.high() + 1), std::max<int64_t>(1, std::abs(places.pace)));
  return places.first > places.last ? node.reverse(taken, 0) : taken;
}

/// Returns the result of the loop that a stack is.
static Value wholeOf(HloNode &node, const Stack &stack, Value collected) {
  const Places &places = stack.places;
  if (places.first > places.last)
    collected = node.reverse(collected, 0);
  SmallVector<Value> parts;
  Dim size = dimsOfValue(stack.first)[0], end(places.high() + 1);
  if (places.low() > 0)
    parts.push_back(node.slice(stack.first, 0, Dim(0), Dim(places.low())));
  parts.push_back(collected);
  if (end != size)
    parts.push_back(node.slice(stack.first, 0, end, size));
  return parts.size() == 1 ? collected : node.concatenate(parts, 0);
}

/// Erases the ops at the end of a block that only the counter's next value needed, and others that nothing uses.
static void eraseDead(Block &block, ArrayRef<Value> kept) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op) &&
        llvm::none_of(op.getResults(), [&](Value result) { return llvm::is_contained(kept, result); }))
      op.erase();
}

void Steps::finish() {
  SmallVector<Value> xs, kept(ends);
  for (const Stack &stack : stacks)
    kept.push_back(stack.part);
  eraseDead(block, kept);
  Type element = elementOfValue(counter);
  bool isCounting = !counter.use_empty();
  unsigned at = first.size();
  if (isCounting) {
    Value numbers = node.iota(0, Dim(count.trip), element);
    if (count.step != 1)
      numbers = node.emit<MulOp>({numbers, node.constantInt(count.step, element)});
    if (count.start != 0)
      numbers = node.emit<AddOp>({numbers, node.constantInt(count.start, element)});
    xs.push_back(numbers);
  } else {
    block.eraseArgument(at);
  }
  for (const Sequence &sequence : sequences)
    xs.push_back(elementsOf(node, sequence));
  if (node.failed())
    return;
  ShapeAttr trip = xs.empty() ? shapeOf(node.getContext(), Dim(count.trip)) : ShapeAttr();
  SmallVector<Value> yields(ends);
  SmallVector<Type> collected;
  for (const Stack &stack : stacks) {
    yields.push_back(stack.part);
    collected.push_back(stack.part.getType());
  }
  auto op = ScanOp::create(node.getBuilder(), place, Value(), ValueRange(), first, xs, trip, collected);
  moveInto(block, op.getBody().front(), yields);
  closeRegions(op);
  SmallVector<Value> results(node.results());
  for (auto [i, place] : llvm::enumerate(places))
    results[i] = place >= 0 ? op.getResult(place) : node.operand(i);
  for (auto [i, stack] : llvm::enumerate(stacks))
    results[stack.carry] = wholeOf(node, stack, op.getResult(first.size() + i));
  results[count.carry] = node.constantInt(count.start + count.step * count.trip, element);
  node.set(results);
}

void hloimport::convertCounted(HloNode &node, const Count &count) {
  if (count.trip == 0)
    return node.set(node.operandRange(0, node.operands()));
  Steps steps(node, count);
  if (!steps.importBody())
    return;
  steps.findSequences();
  steps.finish();
}

SmallVector<Value> hloimport::emitScan(HloNode &node, ArrayRef<Value> first, ArrayRef<Value> xs,
                                       function_ref<SmallVector<Value>(ValueRange carries, ValueRange slices)> step,
                                       bool isReverse) {
  if (node.failed())
    return {};
  OpBuilder &builder = node.getBuilder();
  Location place = node.op->getLoc();
  Block block;
  for (Value value : first)
    block.addArgument(value.getType(), place);
  for (Value value : xs)
    block.addArgument(sliceOf(cast<RankedTensorType>(value.getType()), 0), place);
  SmallVector<Value> ends;
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(&block);
    ends = step(block.getArguments().take_front(first.size()), block.getArguments().drop_front(first.size()));
  }
  if (node.failed() || ends.size() < first.size())
    return {};
  if (ValueRange(first).getTypes() != ValueRange(ends).take_front(first.size()).getTypes()) {
    node.refuse("the values after a step must have the types of those before it");
    return {};
  }
  auto op = ScanOp::create(builder, place, Value(), ValueRange(), first, xs, ShapeAttr(),
                           ValueRange(ends).drop_front(first.size()).getTypes(), isReverse);
  moveInto(block, op.getBody().front(), ends);
  closeRegions(op);
  return SmallVector<Value>(op.getResults());
}

/// Converts chlo.scan: operands are the sequences and the carries; the body takes slices and carries, and returns outputs and
/// carries.
void hloimport::convertScan(HloNode &node) {
  auto segments = node.op->getAttrOfType<DenseI32ArrayAttr>("operandSegmentSizes");
  auto dim = node.integer("dimension");
  unsigned inputs = segments ? segments[0] : 0, carries = node.operands() - inputs, outputs = node.results() - carries;
  Region &body = node.op->getRegion(0);
  if (!inputs || !body.hasOneBlock() || body.front().getNumArguments() != node.operands())
    return node.refuse("expected an input, and a body with an argument for each operand");
  SmallVector<Value> xs, first = node.operandRange(inputs, node.operands());
  auto toFront = [&](Value value, bool isBack) {
    Integers order = range(0, rankOf(value));
    if (!isBack) {
      order.erase(order.begin() + dim);
      order.insert(order.begin(), dim);
    } else {
      order.erase(order.begin());
      order.insert(order.begin() + dim, 0);
    }
    return node.transpose(value, order);
  };
  for (unsigned i = 0; i < inputs; ++i) {
    if (dim < 0 || dim >= node.rank(i))
      return node.refuse("dimension " + Twine(dim) + " is out of range for input " + Twine(i));
    xs.push_back(toFront(node.operand(i), false));
  }
  SmallVector<Value> results = emitScan(
      node, first, xs,
      [&](ValueRange carried, ValueRange slices) {
        SmallVector<Value> arguments(slices);
        llvm::append_range(arguments, carried);
        SmallVector<Value> ends = node.inlineRegion(body, arguments);
        if (ends.size() == node.results())
          std::rotate(ends.begin(), ends.begin() + outputs, ends.end()); // carries first
        return ends;
      },
      node.flag("is_reverse"));
  if (results.size() != node.results())
    return;
  for (unsigned i = 0; i < outputs; ++i)
    node.set(i, toFront(results[carries + i], true));
  for (unsigned i = 0; i < carries; ++i)
    node.set(outputs + i, results[i]);
}
