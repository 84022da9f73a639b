// Sorts of several operands by a comparator: of one key or of several, each a function of an element of the operands.
#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

namespace {
/// One key of a comparator, as the value that it compares in the region.
struct Key {
  Value inBody;
  bool isDescending = false, isTotalOrder = false;
};
} // namespace

/// True if two values of the comparator are the same function, the first of the left elements and the second of the right ones,
/// or, with `isSwapped`, the reverse.
static bool isMirrored(Value lhs, Value rhs, bool isSwapped, int depth = 0) {
  auto a = dyn_cast<BlockArgument>(lhs), b = dyn_cast<BlockArgument>(rhs);
  if (a && b) {
    if (isSwapped)
      std::swap(a, b);
    return a.getOwner() == b.getOwner() && a.getArgNumber() % 2 == 0 && b.getArgNumber() == a.getArgNumber() + 1;
  }
  Operation *first = lhs.getDefiningOp(), *second = rhs.getDefiningOp();
  if (!first || !second || depth > 64)
    return false;
  if (first == second)
    return first->getNumOperands() == 0; // a constant
  return first->getName() == second->getName() && first->getNumRegions() == 0 &&
         first->getAttrDictionary() == second->getAttrDictionary() && first->getNumOperands() == second->getNumOperands() &&
         cast<OpResult>(lhs).getResultNumber() == cast<OpResult>(rhs).getResultNumber() &&
         llvm::all_of(llvm::zip(first->getOperands(), second->getOperands()),
                      [&](auto pair) { return isMirrored(std::get<0>(pair), std::get<1>(pair), isSwapped, depth + 1); });
}

/// Returns the argument of which a value is the form that JAX compares in the total order: of both zeros the positive one, and
/// of all NaN the positive quiet one. In this form, the total order is that of Lathe's sorts. Returns null for any other value.
static Value canonicalArgument(Value value) {
  auto partsOf = [](Value found, StringRef name) {
    Operation *op = found.getDefiningOp();
    return op && op->getName().getStringRef() == name ? SmallVector<Value>(op->getOperands()) : SmallVector<Value>();
  };
  auto compares = [&](Value found, StringRef direction, Value lhs) {
    SmallVector<Value> sides = partsOf(found, "stablehlo.compare");
    return !sides.empty() && sides[0] == lhs &&
           found.getDefiningOp()->getAttrOfType<StringAttr>("comparison_direction").getValue() == direction;
  };
  auto constantOf = [](Value found) -> std::optional<APFloat> {
    Operation *op = found.getDefiningOp();
    auto elements = op ? op->getAttrOfType<DenseFPElementsAttr>("value") : DenseFPElementsAttr();
    return elements && elements.getNumElements() == 1 ? std::optional(*elements.begin()) : std::nullopt;
  };
  SmallVector<Value> outer = partsOf(value, "stablehlo.select");
  SmallVector<Value> inner = outer.size() == 3 ? partsOf(outer[2], "stablehlo.select") : SmallVector<Value>();
  if (inner.size() != 3 || !isa<BlockArgument>(inner[2]))
    return {};
  Value argument = inner[2];
  std::optional<APFloat> nan = constantOf(outer[1]), zero = constantOf(inner[1]);
  bool isCanonical = nan && nan->isNaN() && !nan->isNegative() && zero && zero->isPosZero() &&
                     compares(outer[0], "NE", argument) && partsOf(outer[0], "stablehlo.compare")[1] == argument &&
                     compares(inner[0], "EQ", argument);
  std::optional<APFloat> compared = isCanonical ? constantOf(partsOf(inner[0], "stablehlo.compare")[1]) : std::nullopt;
  return compared && compared->isZero() ? argument : Value();
}

/// Returns the key of a comparison of the left and the right elements; nullopt if it is another op. `isEqual` is for a
/// comparison for equality.
static std::optional<Key> keyOf(Value value, bool isEqual) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getName().getStringRef() != "stablehlo.compare")
    return std::nullopt;
  StringRef direction = op->getAttrOfType<StringAttr>("comparison_direction").getValue();
  auto type = op->getAttrOfType<StringAttr>("compare_type");
  bool isLess = direction == "LT" || direction == "LE", isMore = direction == "GT" || direction == "GE";
  if (isEqual ? direction != "EQ" : !isLess && !isMore)
    return std::nullopt;
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  bool isSwapped = !isMirrored(lhs, rhs, false);
  if (isSwapped && !isMirrored(lhs, rhs, true))
    return std::nullopt;
  bool isTotalOrder = type && type.getValue() == "TOTALORDER", isDescending = isMore != isSwapped;
  Value plain = isTotalOrder && !isDescending ? canonicalArgument(lhs) : Value(); // sorts have NaN last in both directions
  return Key{plain ? plain : lhs, isDescending, isTotalOrder && !plain};
}

/// Collects the keys of `k0 < l0`, or of `k0 < l0 || (k0 == l0 && rest)`. Returns false for any other comparator.
static bool collectKeys(Value value, SmallVectorImpl<Key> &keys) {
  if (std::optional<Key> key = keyOf(value, /*isEqual=*/false)) {
    keys.push_back(*key);
    return true;
  }
  auto partsOf = [](Value found, StringRef name) -> Operation * {
    Operation *op = found.getDefiningOp();
    return op && op->getName().getStringRef() == name ? op : nullptr;
  };
  Operation *either = partsOf(value, "stablehlo.or"),
            *both = either ? partsOf(either->getOperand(1), "stablehlo.and") : nullptr;
  std::optional<Key> first = both ? keyOf(either->getOperand(0), /*isEqual=*/false) : std::nullopt;
  if (!first || !keyOf(both->getOperand(0), /*isEqual=*/true))
    return false;
  keys.push_back(*first);
  return collectKeys(both->getOperand(1), keys);
}

/// Moves a dimension to the end, or back from there.
static Value moveToEnd(HloNode &node, Value value, int64_t dim, bool isBack) {
  Integers order = range(0, rankOf(value));
  if (order.empty())
    return value;
  if (isBack) {
    order.pop_back();
    order.insert(order.begin() + dim, rankOf(value) - 1);
  } else {
    order.erase(order.begin() + dim);
    order.push_back(dim);
  }
  return node.transpose(value, order);
}

/// Returns the elements of the last dimension in another order.
static Value permute(HloNode &node, Value value, Value order) {
  int64_t last = rankOf(value) - 1;
  return node.gather(value, order, last, last);
}

static Value argsort(HloNode &node, Value key, bool isDescending) {
  SmallVector<NamedAttribute> attributes{node.number("dim", rankOf(key) - 1)};
  if (isDescending)
    attributes.push_back(node.getBuilder().getNamedAttr("descending", node.getBuilder().getUnitAttr()));
  return node.emit<ArgsortOp>(key, attributes);
}

/// Returns the stable order by any comparator: the place of each element is the number of those that come before it.
static Value orderByCounting(HloNode &node, Region &comparator, ArrayRef<Value> operands) {
  constexpr int64_t kMost = 4096;
  Dims dims = dimsOfValue(operands[0]), pairs(dims);
  pairs.push_back(dims.back());
  int64_t last = dims.size() - 1;
  if (!dims.back().isStatic() || dims.back().constant() > kMost) {
    node.refuse("a sort by this comparator must be of at most " + Twine(kMost) +
                " elements; sort by a comparison of one key, or of several as k0 < l0 || (k0 == l0 && ...)");
    return {};
  }
  auto comparison = [&](bool isSwapped) { // [..., i, j]: element j comes before element i, or the reverse
    SmallVector<Value> arguments;
    for (Value value : operands) {
      Integers along = range(0, last + 1), across = along;
      across.back() = last + 1;
      Value rows = node.broadcast(value, along, pairs), columns = node.broadcast(value, across, pairs);
      arguments.push_back(isSwapped ? rows : columns);
      arguments.push_back(isSwapped ? columns : rows);
    }
    SmallVector<Value> results = node.liftRegion(comparator, arguments, pairs);
    return results.empty() ? Value() : results[0];
  };
  Type i32 = node.getBuilder().getI32Type();
  Value before = comparison(false), after = comparison(true);
  Value isLower = node.compare(CompareKind::LT, node.iota(last + 1, pairs, i32), node.iota(last, pairs, i32));
  before = node.emit<OrOp>({before, node.emit<AndOp>({isLower, node.emit<NotOp>(after)})});
  Value places = node.reduce(ReduceKind::Sum, node.convert(before, i32), last + 1, /*keep=*/false);
  return argsort(node, places, /*isDescending=*/false);
}

static void sort(HloNode &node) {
  Region &comparator = node.op->getRegion(0);
  int64_t dim = node.integer("dimension", -1), rank = node.rank(0);
  unsigned count = node.operands();
  if (dim < 0)
    dim += rank;
  if (dim < 0 || dim >= rank || !comparator.hasOneBlock() || comparator.front().getNumArguments() != 2 * count ||
      comparator.front().back().getNumOperands() != 1)
    return node.refuse("expected a dimension of the operands, and a comparator of two elements of each operand");
  SmallVector<Value> operands, arguments;
  for (unsigned i = 0; i < count; ++i) {
    operands.push_back(moveToEnd(node, node.operand(i), dim, /*isBack=*/false));
    arguments.append(2, operands.back());
  }
  SmallVector<Key> keys;
  Value order;
  if (!collectKeys(comparator.front().back().getOperand(0), keys)) {
    order = orderByCounting(node, comparator, operands);
  } else {
    node.liftRegion(comparator, arguments, dimsOfValue(operands[0]));
    for (const Key &key : llvm::reverse(keys)) {
      if (node.failed())
        return;
      Value value = node.frame.find(key.inBody);
      if (count == 1 && keys.size() == 1 && value == operands[0] && !key.isTotalOrder && !elementOfValue(value).isInteger(1)) {
        SmallVector<NamedAttribute> attributes{node.number("dim", rank - 1)};
        if (key.isDescending)
          attributes.push_back(node.getBuilder().getNamedAttr("descending", node.getBuilder().getUnitAttr()));
        return node.set(0, moveToEnd(node, node.emit<SortOp>(value, attributes), dim, /*isBack=*/true));
      }
      if (key.isTotalOrder)
        value = totalOrderKey(node, value);
      if (elementOfValue(value).isInteger(1))
        value = node.convert(value, node.getBuilder().getI32Type());
      Value own = argsort(node, order ? permute(node, value, order) : value, key.isDescending);
      order = order ? permute(node, order, own) : own;
    }
  }
  for (unsigned i = 0; i < count; ++i)
    node.set(i, moveToEnd(node, permute(node, operands[i], order), dim, /*isBack=*/true));
}

void hloimport::addSorts(Converters &converters) { converters["stablehlo.sort"] = sort; }
