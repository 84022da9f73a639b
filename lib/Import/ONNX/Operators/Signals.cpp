// Signals: windows, spectra and their weights. Fourier sums are products with matrices of cosines and sines.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "lib/Import/ONNX/Operators/Lanes.h"
#include "lib/Import/ONNX/Operators/Operators.h"
#include <cmath>
#include <numbers>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Limit on constants that import computes: 64 MiB of floats.
static constexpr int64_t kMostElements = int64_t(1) << 24;

static Type outputType(Node &node) {
  int64_t number = node.integer("output_datatype", 1);
  Type type = elementTypeOf(number, node.i64().getContext());
  if (!type)
    node.refuse("the element type is not supported: " + nameOfDataType(number));
  return type;
}

// ---- Windows

/// Returns the coefficients of a sum of cosines with 0, 1 and 2 periods over the window.
static SmallVector<double> cosinesOf(StringRef op) {
  if (op == "HannWindow")
    return {0.5, -0.5};
  if (op == "HammingWindow")
    return {25.0 / 46, -21.0 / 46};
  return {0.42, -0.5, 0.08};
}

static void window(Node &node) {
  int64_t size = node.knownInteger(0, "the size");
  Type element = outputType(node);
  if (!node.failed() && (size < 1 || size > kMostElements))
    node.refuse("the size is " + Twine(size) + ", expected 1 to " + Twine(kMostElements));
  if (node.failed())
    return;
  int64_t period = node.integer("periodic", 1) ? size : size - 1;
  SmallVector<double> terms = cosinesOf(node.op()), values;
  for (int64_t i = 0; i < size; ++i) {
    double value = 0;
    for (auto [k, term] : llvm::enumerate(terms))
      value += term * std::cos(2 * std::numbers::pi * double(k) * i / std::max<int64_t>(period, 1));
    values.push_back(period ? value : 1); // a symmetric window of one element
  }
  node.set(0, node.realConstants(values, size, element));
}

// ---- MelWeightMatrix

/// Emits triangles over the frequencies of a spectrum, with corners at equal distances on the mel scale.
static void melWeights(Node &node) {
  int64_t bands = node.knownInteger(0, "num_mel_bins"), length = node.knownInteger(1, "dft_length"),
          rate = node.knownInteger(2, "sample_rate");
  SmallVector<double> low = node.knownReals(3, "lower_edge_hertz"), high = node.knownReals(4, "upper_edge_hertz");
  Type element = outputType(node);
  if (node.failed())
    return;
  if (bands < 1 || bands > 1 << 16 || length < 1 || length > 1 << 24 || rate < 1 || low.size() != 1 || high.size() != 1 ||
      !(low[0] >= 0 && low[0] <= high[0]) || (length / 2 + 1) * bands > kMostElements)
    return node.refuse("expected at least 1 band, 1 sample and 1 Hz, ascending edges, and at most " + Twine(kMostElements) +
                       " weights");
  auto mel = [](double hertz) { return 2595 * std::log10(1 + hertz / 700); };
  double first = mel(low[0]), step = (mel(high[0]) - first) / double(bands + 2);
  auto binOf = [&](int64_t corner) { // the bin at or below the frequency, capped above any spectrum's bins
    double hertz = 700 * (std::pow(10, (first + double(corner) * step) / 2595) - 1);
    return int64_t(std::min(std::floor(double(length + 1) * hertz / double(rate)), 1e15));
  };
  int64_t bins = length / 2 + 1;
  SmallVector<double> weights(bins * bands, 0);
  for (int64_t band = 0; band < bands; ++band) {
    int64_t left = binOf(band), centre = binOf(band + 1), right = binOf(band + 2);
    for (int64_t bin = left; bin <= std::min(centre, bins - 1); ++bin)
      weights[bin * bands + band] = centre == left ? 1 : double(bin - left) / double(centre - left);
    for (int64_t bin = centre + 1; bin < std::min(right, bins); ++bin)
      weights[bin * bands + band] = double(right - bin) / double(right - centre);
  }
  node.set(0, node.realConstants(weights, {bins, bands}, element));
}

// ---- Fourier sums

namespace {
/// Sums over `taken` elements, each of `parts` numbers (1 for real, 2 for complex), of a signal of `length`.
struct Transform {
  Dim length, taken;
  int64_t parts;
  bool inverse, onesided;
  Dim given() const { return onesided && !inverse ? floorDiv(length, 2) + Dim(1) : length; }
  int64_t givenParts() const { return onesided && inverse ? 1 : 2; }
  bool isKnown() const { return length.isStatic() && taken.isStatic(); }
};
} // namespace

/// Returns the matrix for a length that is known at run time.
static Value openMatrixOf(Node &node, const Transform &transform, Type element) {
  Type wide = Float64Type::get(node.i64().getContext());
  Dims grid{transform.taken, transform.given()};
  Value n = node.iota(0, grid, node.i64()), length = node.size(transform.length, node.i64());
  Value turn = node.emit<RemOp>({node.emit<MulOp>({n, node.iota(1, grid, node.i64())}), length}); // modulo a full circle
  Lanes size = sizeAsLanes(node, transform.length);
  Lanes angle = Lanes(node, node.convert(turn, wide)) * (2 * std::numbers::pi) / size;
  Lanes cosine(node, node.emit<CosOp>(angle.value)), sine(node, node.emit<SinOp>(angle.value));
  if (transform.inverse) {
    Lanes scale = angle * 0.0 + 1.0, place(node, node.convert(n, wide));
    if (transform.onesided) // all but the first and the middle one also stand for their omitted conjugate
      scale = choose(either(isEqual(place, 0), isEqual(place * 2.0 - size, 0)), scale, scale * 2.0);
    cosine = cosine * scale / size;
    sine = sine * scale / size;
  } else {
    sine = sine * -1.0;
  }
  auto part = [&](const Lanes &values) {
    return node.reshape(node.convert(values.value, element), {grid[0], Dim(1), grid[1], Dim(1)});
  };
  auto row = [&](const Lanes &real, const Lanes &imaginary) { // the contribution of a part of an element to those of the result
    return transform.givenParts() == 1 ? part(real) : node.concatenate({part(real), part(imaginary)}, 3);
  };
  Value first = row(cosine, sine);
  return transform.parts == 1 ? first : node.concatenate({first, row(sine * -1.0, cosine)}, 1);
}

/// Returns the matrix [taken, parts, given, givenParts] of each element's contribution to the result.
static Value matrixOf(Node &node, const Transform &transform, Type element) {
  if (!node.failed() && !transform.isKnown())
    return openMatrixOf(node, transform, element);
  int64_t length = transform.length.constant(), taken = transform.taken.constant(), given = transform.given().constant();
  int64_t size = taken * transform.parts * given * transform.givenParts();
  if (!node.failed() && size > kMostElements)
    node.refuse("a transform of length " + Twine(length) + " needs a matrix of " + Twine(size) + " elements, expected up to " +
                Twine(kMostElements));
  if (node.failed())
    return {};
  SmallVector<std::pair<double, double>> circle; // exact on the axes
  for (int64_t i = 0; i < length; ++i) {
    double angle = 2 * std::numbers::pi * double(i) / double(length);
    circle.emplace_back((4 * i) % length == 0 && (4 * i / length) % 2 ? 0 : std::cos(angle),
                        (2 * i) % length == 0 ? 0 : std::sin(angle));
  }
  SmallVector<double> values;
  values.reserve(size);
  for (int64_t n = 0; n < taken; ++n) {
    double scale = transform.inverse ? 1.0 / double(length) : 1;
    if (transform.inverse && transform.onesided && n && 2 * n != length)
      scale *= 2; // for the omitted conjugate
    for (int64_t part = 0; part < transform.parts; ++part)
      for (int64_t k = 0; k < given; ++k) {
        auto [cosine, sine] = circle[n * k % length];
        sine = transform.inverse ? sine : -sine;
        values.push_back(scale * (part ? -sine : cosine));
        if (transform.givenParts() == 2)
          values.push_back(scale * (part ? cosine : sine));
      }
  }
  return node.realConstants(values, {taken, transform.parts, given, transform.givenParts()}, element);
}

/// Returns the parts of the last dimension: 1 for real and 2 for complex numbers.
static int64_t partsOf(Node &node, const Dims &dims) {
  if (!node.failed() &&
      (dims.size() < 2 || (dims.back() != Dim(1) && dims.back() != Dim(2)) || !isa_and_nonnull<FloatType>(node.element(0))))
    node.refuse("a signal of shape " + str(dims) + ", expected floats with a last dimension of 1 or 2");
  return node.failed() ? 1 : dims.back().constant();
}

/// Returns the sums along a dimension of x, which is cut to `taken` elements.
static Value transformAlong(Node &node, Value x, int64_t axis, const Transform &transform) {
  Type element = elementOfValue(x);
  Value matrix = matrixOf(node, transform, element);
  if (node.failed())
    return {};
  x = node.slice(x, axis, 0, transform.taken);
  int64_t rank = rankOf(x);
  Value sums = node.contract(x, matrix, {axis, rank - 1}, {0, 1}); // [others..., given, parts]
  Integers order = range(0, rank);
  order.erase(order.begin() + rank - 2);
  order.insert(order.begin() + axis, rank - 2);
  return node.transpose(sums, order);
}

static void fourier(Node &node) {
  Value x = node.input(0);
  Dims dims = node.dims(0);
  int64_t rank = dims.size(), parts = partsOf(node, dims), axis = 0;
  if (node.opset() < 20)
    axis = node.integer("axis", 1);
  else if (node.hasAttribute("axis"))
    node.refuse("axis must be an input in this opset");
  else
    axis = node.has(2) ? node.knownInteger(2, "the axis") : -2;
  axis = node.axis(axis, rank);
  if (!node.failed() && axis == rank - 1)
    node.refuse("the axis must not be the last one, which holds real and imaginary parts");
  Transform transform{Dim(), Dim(), parts, node.integer("inverse", 0) != 0, node.integer("onesided", 0) != 0};
  if (transform.onesided && !transform.inverse && parts == 2)
    node.refuse("onesided needs a real signal");
  if (node.failed())
    return;
  bool isHalf = transform.inverse && transform.onesided; // of a spectrum, whose other half is its conjugate
  Dim extent = dims[axis];
  int64_t least = extent.isStatic(0) ? 0 : 1;
  transform.length = node.has(1) ? node.knownDim(1, "dft_length") : isHalf ? (extent - Dim(1)) * Dim(2) : extent;
  if (Dim length = transform.length;
      !node.failed() && length.isStatic() && !(least <= length.constant() && length.constant() <= kMostElements))
    node.refuse("its length is " + length.str() + ", expected " + Twine(least) + " to " + Twine(kMostElements));
  transform.taken = minOf(extent, isHalf ? floorDiv(transform.length, 2) + Dim(1) : transform.length);
  Type element = node.element(0);
  node.set(0, node.convert(transformAlong(node, node.convert(x, Node::wide(element)), axis, transform), element));
}

/// Returns the frames [B, F, L, parts] of a signal [B, T, parts], each `step` after the previous one.
static Value framesOf(Node &node, Value x, int64_t length, int64_t step) {
  Dims dims = dimsOfValue(x);
  if (node.failed())
    return {};
  Dim room = dims[1] - Dim(length);
  if (room.isStatic() && room.constant() < 0)
    return node.refuse("a frame of " + Twine(length) + " is longer than the signal of " + dims[1].str()), Value();
  Dims shape{floorDiv(room, step) + Dim(1), Dim(length)};
  Value start = node.emit<MulOp>({node.iota(0, shape, node.i64()), node.constantInt(step, node.i64())});
  return node.gather(x, node.emit<AddOp>({start, node.iota(1, shape, node.i64())}), 1);
}

static void shortTimeFourier(Node &node) {
  Value x = node.input(0), window = node.has(2) ? node.input(2) : Value();
  Dims dims = node.dims(0);
  if (dims.size() == 2) // real numbers may lack their last dimension
    dims.push_back(Dim(1));
  int64_t parts = partsOf(node, dims), step = node.knownInteger(1, "frame_step");
  bool onesided = node.integer("onesided", 1);
  if (dims.size() != 3)
    node.refuse("a signal of shape " + str(dims) + ", expected [batch, length] or [batch, length, 1 or 2]");
  if (onesided && parts == 2)
    node.refuse("onesided needs a real signal");
  if (node.failed())
    return;
  Dim length = window ? dimsOf(window).back() : dims[1];
  if (node.has(3))
    length = Dim(node.knownInteger(3, "frame_length"));
  if (!length.isStatic() || length.constant() < 1 || length.constant() > kMostElements || step < 1 || step > kMostElements)
    return node.refuse("frames of " + length.str() + " and steps of " + Twine(step) + ", expected numbers of 1 to " +
                       Twine(kMostElements));
  if (window && dimsOf(window) != Dims{length})
    return node.refuse("a window of shape " + str(dimsOf(window)) + " for frames of " + length.str());
  Type element = node.element(0), wide = Node::wide(element);
  Value frames = framesOf(node, node.reshape(node.convert(x, wide), dims), length.constant(), step);
  if (window)
    frames = node.emit<MulOp>({frames, node.reshape(node.convert(window, wide), {length, Dim(1)})});
  Transform transform{length, length, parts, /*inverse=*/false, onesided};
  node.set(0, node.convert(transformAlong(node, frames, 2, transform), element));
}

void onnximport::addSignals(Converters &converters) {
  for (StringRef name : {"HannWindow", "HammingWindow", "BlackmanWindow"})
    converters[name] = {window, 1, 1, "output_datatype,periodic"};
  converters["MelWeightMatrix"] = {melWeights, 5, 5, "output_datatype"};
  converters["DFT"] = {fourier, 1, 3, "axis,inverse,onesided"};
  converters["STFT"] = {shortTimeFourier, 2, 4, "onesided"};
}
