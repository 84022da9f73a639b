// Random bits of threefry2x32 (Salmon et al. 2011, 20 rounds), in the order in which XLA has them.
#include "lib/Import/StableHLO/Operators/Operators.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

namespace {
/// Arithmetic on words of 32 bits.
struct Words {
  Value add(Value a, Value b) { return node.emit<AddOp>({a, b}); }
  Value xorOf(Value a, Value b) { return node.emit<XorOp>({a, b}); }
  Value number(uint32_t value) { return node.constantInt(value, type); }
  Value rotate(Value a, unsigned by) {
    return node.emit<OrOp>({node.emit<ShiftLeftOp>({a, number(by)}), node.emit<ShiftRightOp>({a, number(32 - by)})});
  }

  HloNode &node;
  Type type;
};
} // namespace

/// Encrypts the counter (x0, x1) by the key in 20 rounds.
static void threefry(Words words, const std::array<Value, 2> &key, Value &x0, Value &x1) {
  constexpr unsigned kRotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  Value keys[] = {key[0], key[1], words.xorOf(words.xorOf(key[0], key[1]), words.number(0x1BD11BDA))};
  x0 = words.add(x0, keys[0]);
  x1 = words.add(x1, keys[1]);
  for (unsigned group = 0; group < 5; ++group) {
    for (unsigned rotation : kRotations[group % 2]) {
      x0 = words.add(x0, x1);
      x1 = words.xorOf(words.rotate(x1, rotation), x0);
    }
    x0 = words.add(x0, keys[(group + 1) % 3]);
    x1 = words.add(words.add(x1, keys[(group + 2) % 3]), words.number(group + 1));
  }
}

/// Returns the dimension along which both words of a counter are neighbours: the first even one, or else the longest.
static int64_t splitDim(ArrayRef<Dim> shape) {
  int64_t longest = 0;
  for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim) {
    if (shape[dim].constant() % 2 == 0)
      return dim;
    if (shape[dim].constant() > shape[longest].constant())
      longest = dim;
  }
  return longest;
}

static void bitGenerator(HloNode &node) {
  Type element = node.resultElement(1);
  Builder &builder = node.getBuilder();
  Type word = builder.getIntegerType(32, /*isSigned=*/false), wide = builder.getIntegerType(64, /*isSigned=*/false);
  Dims shape = node.resultDims(1);
  if (node.word("rng_algorithm") != "THREE_FRY")
    return node.refuse("only the algorithm THREE_FRY is supported, got " + node.word("rng_algorithm") +
                       "; use the threefry2x32 keys that are JAX's default");
  if (node.element(0) != wide || node.dims(0) != Dims{Dim(2)} || !isa<IntegerType>(element) ||
      llvm::any_of(shape, [](const Dim &dim) { return !dim.isStatic(); }))
    return node.refuse("expected a state of tensor<2xui64>, and bits as integers of a fixed shape");
  auto low = [&](Value value) { return node.convert(value, word); };
  auto high = [&](Value value) { return node.convert(node.emit<ShiftRightOp>({value, node.constantInt(32, wide)}), word); };
  bool isWide = element.getIntOrFloatBitWidth() == 64;
  Dims counters = shape.empty() ? Dims{Dim(1)} : shape;
  int64_t split = splitDim(counters);
  Dims whole = counters;
  if (!isWide)
    counters[split] = Dim((counters[split].constant() + 1) / 2);
  Dim count(1);
  for (const Dim &dim : counters)
    count = count * dim;
  Value state = node.operand(0);
  Value key = node.reshape(node.slice(state, 0, Dim(0), Dim(1)), {}),
        first = node.reshape(node.slice(state, 0, Dim(1), Dim(2)), {});
  Value counter = node.emit<AddOp>({node.reshape(node.iota(0, count, wide), counters), first});
  Value x0 = low(counter), x1 = high(counter);
  threefry({node, word}, {low(key), high(key)}, x0, x1);
  Value bits;
  if (isWide) {
    Value upper = node.emit<ShiftLeftOp>({node.convert(x1, wide), node.constantInt(32, wide)});
    bits = node.emit<OrOp>({node.convert(x0, wide), upper});
  } else {
    Dims apart(counters), joined(counters);
    apart.insert(apart.begin() + split + 1, Dim(1));
    joined[split] = Dim(2 * counters[split].constant());
    bits = node.reshape(node.concatenate({node.reshape(x0, apart), node.reshape(x1, apart)}, split + 1), joined);
    bits = node.slice(bits, split, Dim(0), whole[split]);
  }
  Value next = node.emit<AddOp>({first, node.constantInt(count.constant(), wide)});
  node.set(0, node.concatenate({node.reshape(key, Dim(1)), node.reshape(next, Dim(1))}, 0));
  node.set(1, node.reshape(node.convert(bits, element), shape));
}

void hloimport::addRandom(Converters &converters) { converters["stablehlo.rng_bit_generator"] = bitGenerator; }
