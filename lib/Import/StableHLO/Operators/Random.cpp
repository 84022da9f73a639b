// Random bits of threefry2x32 (Salmon et al. 2011, 20 rounds) and of philox4x32 (10 rounds), in the order in which XLA has
// them, and random numbers of Lathe's own.
#include "lib/Import/StableHLO/Operators/Operators.h"
#include "lib/Support/TypeText.h"

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

/// Emits the state after `count` counters, and bits of threefry. The state is a key and a counter.
static void threefryBits(HloNode &node) {
  Type element = node.resultElement(1);
  Builder &builder = node.getBuilder();
  Type word = builder.getIntegerType(32, /*isSigned=*/false), wide = builder.getIntegerType(64, /*isSigned=*/false);
  Dims shape = node.resultDims(1);
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

/// Encrypts counters of four words by a key of two in 10 rounds.
static void philox(HloNode &node, Words words, std::array<Value, 2> key, std::array<Value, 4> &x) {
  Type wide = node.getBuilder().getIntegerType(64, /*isSigned=*/false);
  auto product = [&](Value a, uint32_t factor) {
    return node.emit<MulOp>({node.convert(a, wide), node.constantInt(factor, wide)});
  };
  auto low = [&](Value value) { return node.convert(value, words.type); };
  auto high = [&](Value value) { return low(node.emit<ShiftRightOp>({value, node.constantInt(32, wide)})); };
  for (unsigned round = 0; round < 10; ++round) {
    if (round > 0)
      key = {words.add(key[0], words.number(0x9E3779B9)), words.add(key[1], words.number(0xBB67AE85))};
    Value first = product(x[0], 0xD2511F53), second = product(x[2], 0xCD9E8D57);
    x = {words.xorOf(words.xorOf(high(second), x[1]), key[0]), low(second), words.xorOf(words.xorOf(high(first), x[3]), key[1]),
         low(first)};
  }
}

/// Emits the state after the counters, and bits of philox. The state is a key and a counter, or its low and high halves;
/// without a high half the key is that, too.
static void philoxBits(HloNode &node) {
  Type element = node.resultElement(1);
  Builder &builder = node.getBuilder();
  Type word = builder.getIntegerType(32, /*isSigned=*/false), wide = builder.getIntegerType(64, /*isSigned=*/false);
  bool isWide = element.getIntOrFloatBitWidth() == 64;
  Dims shape = node.resultDims(1);
  std::optional<Dim> elements = numElements(shape);
  if (!elements)
    return node.refuse("it has too many elements");
  int64_t needed = elements->constant() * (isWide ? 2 : 1), count = (needed + 3) / 4;
  Value state = node.operand(0);
  auto part = [&](int64_t i) { return node.reshape(node.slice(state, 0, Dim(i), Dim(i + 1)), {}); };
  Value key = part(0), first = part(1), above = node.dims(0)[0] == Dim(3) ? part(2) : key;
  auto low = [&](Value value) { return node.convert(value, word); };
  auto high = [&](Value value) { return node.convert(node.emit<ShiftRightOp>({value, node.constantInt(32, wide)}), word); };
  auto plus = [&](Value added) { // the low and the high half of the counter
    Value sum = node.emit<AddOp>({first, added});
    Value carry = node.convert(node.compare(CompareKind::LT, sum, added), wide);
    return std::pair(sum, node.emit<AddOp>({above, carry}));
  };
  auto [counter, upper] = plus(node.iota(0, Dim(count), wide));
  std::array<Value, 4> x{low(counter), high(counter), low(upper), high(upper)};
  philox(node, {node, word}, {low(key), high(key)}, x);
  SmallVector<Value> columns;
  for (Value value : x)
    columns.push_back(node.reshape(value, {Dim(count), Dim(1)}));
  Value bits = node.slice(node.reshape(node.concatenate(columns, 1), Dim(4 * count)), 0, Dim(0), Dim(needed));
  if (isWide) {
    Value pairs = node.convert(node.reshape(bits, {*elements, Dim(2)}), wide);
    auto half = [&](int64_t i) { return node.reshape(node.slice(pairs, 1, Dim(i), Dim(i + 1)), *elements); };
    bits = node.emit<OrOp>({half(0), node.emit<ShiftLeftOp>({half(1), node.constantInt(32, wide)})});
  }
  auto [next, nextAbove] = plus(node.constantInt(count, wide));
  SmallVector<Value> states{node.reshape(key, Dim(1)), node.reshape(next, Dim(1))};
  if (node.dims(0)[0] == Dim(3))
    states.push_back(node.reshape(nextAbove, Dim(1)));
  node.set(0, node.concatenate(states, 0));
  node.set(1, node.reshape(node.convert(bits, element), shape));
}

static void bitGenerator(HloNode &node) {
  Type element = node.resultElement(1), wide = node.getBuilder().getIntegerType(64, /*isSigned=*/false);
  StringRef algorithm = node.word("rng_algorithm");
  bool isThreefry = algorithm == "THREE_FRY", isPhilox = algorithm == "PHILOX" || algorithm == "DEFAULT"; // XLA's on CPUs
  if (!isThreefry && !isPhilox)
    return node.refuse("there is no algorithm " + algorithm + "; expected THREE_FRY, PHILOX or DEFAULT");
  bool fits = node.dims(0) == Dims{Dim(2)} || (isPhilox && node.dims(0) == Dims{Dim(3)});
  if (node.element(0) != wide || !fits || !isa<IntegerType>(element) || element.isInteger(1) ||
      llvm::any_of(node.resultDims(1), [](const Dim &dim) { return !dim.isStatic(); }))
    return node.refuse("expected a state of tensor<2xui64>, and bits as integers of a fixed shape");
  isThreefry ? threefryBits(node) : philoxBits(node);
}

/// Emits numbers of Lathe's own generator, the same at each run: uniform ones from the first operand up to the second one, or
/// normal ones with a mean and a deviation.
static void generator(HloNode &node) {
  Type element = node.resultElement(), wide = node.wide(element);
  StringRef distribution = node.word("rng_distribution");
  bool isNormal = distribution == "NORMAL";
  Dims shape = node.knownDims(2);
  if (!isNormal && distribution != "UNIFORM")
    return node.refuse("there is no distribution " + distribution + "; expected UNIFORM or NORMAL");
  if (!isa<FloatType>(element))
    return node.refuse("only floats are supported, got " + typeText(element) + "; use rng_bit_generator for integers");
  if (node.failed())
    return;
  Value seed = node.constantInt(0, node.i64());
  SmallVector<NamedAttribute> options{node.number("stream", node.program.randomOps++), node.shape("shape", shape),
                                      node.type("element", wide)};
  Value numbers = isNormal ? node.emit<RandomNormalOp>(seed, options) : node.emit<RandomUniformOp>(seed, options);
  Value first = node.convert(node.operand(0), wide), second = node.convert(node.operand(1), wide);
  Value scale = isNormal ? second : node.emit<SubOp>({second, first});
  node.set(0, node.convert(node.emit<AddOp>({node.emit<MulOp>({numbers, scale}), first}), element));
}

void hloimport::addRandom(Converters &converters) {
  converters["stablehlo.rng_bit_generator"] = bitGenerator;
  converters["stablehlo.rng"] = generator;
}
