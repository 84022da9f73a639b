// Counts of short sequences of words, which are integers: TfIdfVectorizer.
#include "lib/Import/ONNX/Operators/Operators.h"
#include <map>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

namespace {
/// The counted n-grams of one length.
struct Grams {
  int64_t length;
  Integers words;  // one n-gram after the other
  Integers places; // in the result, one for each
};
} // namespace

/// Returns the starts of the n-grams of each length in the pool, and the end; empty after a refusal.
static Integers readBounds(Node &node, int64_t poolSize) {
  Integers bounds = node.integers("ngram_counts");
  bounds.push_back(poolSize);
  int64_t before = 0, length = 0;
  for (int64_t bound : bounds) {
    if (bound < before || bound > poolSize || (length && (bound - before) % length))
      return node.refuse("ngram_counts do not fit a pool of " + Twine(poolSize) + " words"), Integers();
    before = bound;
    ++length;
  }
  return bounds;
}

/// Returns the n-grams of the counted lengths. The last one counts if the pool has it twice.
static std::vector<Grams> readGrams(Node &node, int64_t shortest, int64_t longest) {
  Integers pool = node.integers("pool_int64s"), indexes = node.integers("ngram_indexes"),
           bounds = readBounds(node, pool.size());
  std::vector<Grams> all;
  size_t number = 0;
  for (int64_t length = 1; length < int64_t(bounds.size()) && !node.failed(); ++length) {
    std::map<std::vector<int64_t>, int64_t> places;
    for (int64_t at = bounds[length - 1]; at < bounds[length]; at += length, ++number) {
      if (number >= indexes.size() || indexes[number] < 0)
        return node.refuse("ngram_indexes must have an index of at least 0 for each n-gram of the pool"), all;
      places[std::vector<int64_t>(pool.begin() + at, pool.begin() + at + length)] = indexes[number];
    }
    if (length < shortest || length > longest || places.empty())
      continue;
    Grams &grams = all.emplace_back(Grams{length, {}, {}});
    for (const auto &[words, place] : places) {
      grams.words.append(words.begin(), words.end());
      grams.places.push_back(place);
    }
  }
  return all;
}

/// Returns how often each n-gram occurs in the rows of x [N, C], with words `step` apart: [N, G].
static Value count(Node &node, Value x, const Grams &grams, int64_t step) {
  Dims dims = dimsOfValue(x);
  if (node.failed())
    return {};
  int64_t length = grams.length, reach = step * (length - 1), size = grams.places.size();
  Dims shape{dims[0], dims[1], Dim(size)};
  Value zero = node.constantInt(0, node.i64());
  // Words past the end belong to no n-gram.
  Value isThere = node.compare(CompareKind::LT, node.iota(1, shape, node.i64()), node.size(dims[1] - Dim(reach), node.i64()));
  Value padded = node.pad(x, zero, {0, 0}, {0, reach});
  for (int64_t i = 0; i < length; ++i) {
    Integers words;
    for (int64_t gram = 0; gram < size; ++gram)
      words.push_back(grams.words[gram * length + i]);
    Value word = node.reshape(node.slice(padded, 1, i * step, dims[1] + Dim(i * step)), {dims[0], dims[1], Dim(1)});
    isThere = node.emit<AndOp>({isThere, node.compare(CompareKind::EQ, word, node.constants(words, {1, 1, size}, node.i64()))});
  }
  return node.reduce(ReduceKind::Sum, node.convert(isThere, node.i64()), 1, /*keep=*/false);
}

/// Weighs the counts by the mode; weights are by position in the result, as in ONNX Runtime.
static Value weigh(Node &node, Value counts, StringRef mode, int64_t size) {
  Type real = Float32Type::get(node.i64().getContext());
  SmallVector<double> weights = node.reals("weights");
  if (mode == "IDF")
    counts = node.compare(CompareKind::GT, counts, node.constantInt(0, node.i64()));
  counts = node.convert(counts, real);
  if (mode == "TF" || weights.empty())
    return counts;
  if (int64_t(weights.size()) < size)
    return node.refuse("it has " + Twine(weights.size()) + " weights for " + Twine(size) + " places"), Value();
  weights.resize(size);
  return node.emit<MulOp>({counts, node.realConstants(weights, {1, size}, real)});
}

static void tfIdf(Node &node) {
  constexpr int64_t kMostSkips = 256; // some ops for each, and for each length
  Value x = node.input(0);
  Dims dims = node.dims(0);
  std::string mode = node.text("mode", "");
  int64_t shortest = node.integer("min_gram_length", 1), longest = node.integer("max_gram_length", 1),
          skips = node.integer("max_skip_count", 0);
  if (mode != "TF" && mode != "IDF" && mode != "TFIDF")
    node.refuse("mode is '" + mode + "', expected TF, IDF or TFIDF");
  if (node.hasAttribute("pool_strings"))
    node.refuse("string tensors are not supported; use pool_int64s");
  if (dims.size() > 2 || !isa_and_nonnull<IntegerType>(node.element(0)))
    node.refuse("a tensor of shape " + str(dims) + ", expected integers [C] or [N, C]");
  if (shortest < 1 || longest < shortest || skips < 0 || skips > kMostSkips)
    node.refuse("min_gram_length, max_gram_length and max_skip_count are " + Twine(shortest) + ", " + Twine(longest) + " and " +
                Twine(skips) + ", expected min >= 1, max >= min, and a skip count from 0 to " + Twine(kMostSkips));
  std::vector<Grams> all = readGrams(node, shortest, longest);
  Integers places = node.integers("ngram_indexes");
  if (node.failed() || places.empty())
    return node.refuse("it has no ngram_indexes");
  int64_t size = *llvm::max_element(places) + 1;
  Dim rows = dims.size() == 2 ? dims[0] : Dim(1);
  x = node.reshape(node.convert(x, node.i64()), {rows, dims.empty() ? Dim(1) : dims.back()});
  Value counts = node.broadcast(node.constantInt(0, node.i64()), {}, {rows, Dim(size)});
  for (const Grams &grams : all)
    for (int64_t step = 1; step <= (grams.length == 1 ? 1 : skips + 1) && !node.failed(); ++step) {
      Value at = node.constants(grams.places, int64_t(grams.places.size()), node.i64());
      counts = node.scatter(ScatterKind::Add, counts, at, count(node, x, grams, step), 1, 0);
    }
  Value result = weigh(node, counts, mode, size);
  node.set(0, dims.size() == 2 ? result : node.reshape(result, Dim(size)));
}

void onnximport::addNgrams(Converters &converters) {
  converters["TfIdfVectorizer"] = {tfIdf, 1, 1,
                                   "max_gram_length,max_skip_count,min_gram_length,mode,ngram_counts,ngram_indexes,pool_int64s,"
                                   "pool_strings,weights"};
}
