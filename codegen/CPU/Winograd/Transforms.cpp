// A transform is a function of its own, which kernels of a module share:
//
//   for line of squares, for vector of adjacent squares
//     square = load all vectors of the square from memory
//     for column of the square: transform the column               // in registers, as far as they suffice
//     for row of what that gives: transform the row, store it
#include "codegen/CPU/Winograd/Transforms.h"
#include "llvm/Support/FormatVariadic.h"
#include <array>

using namespace mlir;
using namespace lathe;
using namespace lathe::cpu;

namespace {
using Line = SmallVector<Value>;

/// Arithmetic on vectors of f32. A factor is exact in f32 or rounded to it.
struct Vectors {
  CodeFrame &frame;

  Value factor(double value) const {
    return frame.eval.splat(arith::ConstantOp::create(frame.b, frame.loc, frame.b.getF32FloatAttr(float(value))));
  }
  Value add(Value x, Value y) const { return arith::AddFOp::create(frame.b, frame.loc, x, y); }
  Value subtract(Value x, Value y) const { return arith::SubFOp::create(frame.b, frame.loc, x, y); }
  Value times(double f, Value x) const { return f == 1 ? x : Value(arith::MulFOp::create(frame.b, frame.loc, factor(f), x)); }
  /// Returns total + f * x.
  Value plus(Value total, double f, Value x) const {
    if (f == 1)
      return add(total, x);
    return f == -1 ? subtract(total, x) : frame.multiplyAdd(factor(f), x, total);
  }
  /// Returns the sum of the terms with factors, of which the first is 1.
  Value fromFirst(ArrayRef<double> factors, ArrayRef<Value> terms) const {
    Value total = terms.front();
    for (size_t i = 1; i < terms.size(); ++i)
      total = plus(total, factors[i], terms[i]);
    return total;
  }
  /// Returns the sum of the terms with factors other than 0. The last factor is 1 in most sums, which then begin with it.
  Value sum(ArrayRef<double> factors, ArrayRef<Value> terms) const {
    Value total;
    for (size_t i = terms.size(); i-- > 0;)
      if (factors[i] != 0)
        total = total ? plus(total, factors[i], terms[i]) : times(factors[i], terms[i]);
    return total;
  }
};

/// The transforms of one line. Results are in the order 0, the positive and the negative point of each magnitude, infinity.
struct Transform {
  Vectors v;
  WinogradPoints points;
  int64_t outputCount;

  /// Returns the values of `line` at `first`, and at every second place behind it.
  static Line everySecond(const Line &line, size_t first, size_t count) {
    Line part;
    for (size_t i = 0; i < count; ++i)
      part.push_back(line[first + 2 * i]);
    return part;
  }
  /// Appends even + a * odd and even - a * odd.
  void appendBoth(Line &to, Value even, double a, Value odd) const {
    to.push_back(v.plus(even, a, odd));
    to.push_back(v.plus(even, -a, odd));
  }

  Line inputs(const Line &d) const {
    SmallVector<double> all = points.product();
    Line result{v.sum(all, everySecond(d, 0, all.size()))};
    for (auto [i, a] : llvm::enumerate(points.magnitudes)) {
      SmallVector<double> others = points.product(i);
      Value even = v.sum(others, everySecond(d, 2, others.size())), odd = v.sum(others, everySecond(d, 1, others.size()));
      appendBoth(result, even, a, odd);
    }
    result.push_back(v.sum(all, everySecond(d, 1, all.size())));
    return result;
  }

  Line filter(const Line &w) const {
    SmallVector<std::array<double, WinogradSquare::kTaps>> factors = points.ofFilter();
    Line result{v.times(factors.front()[0], w[0])};
    for (size_t i = 1; i + 1 < factors.size(); i += 2) // both signs of a point
      appendBoth(result, v.plus(v.times(factors[i][0], w[0]), factors[i][2], w[2]), factors[i][1], w[1]);
    result.push_back(w[2]);
    return result;
  }

  Line outputs(const Line &s) const {
    Line sums, differences, result;
    for (size_t i = 0; i < points.magnitudes.size(); ++i) {
      sums.push_back(v.add(s[1 + 2 * i], s[2 + 2 * i]));
      differences.push_back(v.subtract(s[1 + 2 * i], s[2 + 2 * i]));
    }
    for (int64_t i = 0; i < outputCount; ++i) {
      SmallVector<double> powers;
      for (double a : points.magnitudes)
        powers.push_back(std::pow(a, i));
      Value total = v.sum(powers, i % 2 ? differences : sums);
      if (i == 0)
        total = v.add(total, s.front());
      if (i + 1 == outputCount)
        total = v.add(total, s.back());
      result.push_back(total);
    }
    return result;
  }

  /// The transpose of `outputs`: the values at the points of the polynomial whose coefficients are the line.
  Line cotangents(const Line &g) const {
    Line result{g.front()};
    for (double a : points.magnitudes) {
      SmallVector<double> squares;
      for (size_t i = 0; 2 * i < g.size(); ++i)
        squares.push_back(std::pow(a, 2 * i));
      Line even = everySecond(g, 0, (g.size() + 1) / 2), odd = everySecond(g, 1, g.size() / 2);
      appendBoth(result, v.fromFirst(squares, even), a, v.fromFirst(squares, odd));
    }
    result.push_back(g.back());
    return result;
  }

  /// The transpose of `filter`: the three taps.
  Line taps(const Line &s) const {
    SmallVector<std::array<double, WinogradSquare::kTaps>> factors = points.ofFilter();
    Line result{v.times(factors.front()[0], s.front()), {}, s.back()};
    for (size_t i = 1; i + 1 < factors.size(); i += 2) { // both signs of a point
      Value sum = v.add(s[i], s[i + 1]), difference = v.subtract(s[i], s[i + 1]);
      result[0] = v.plus(result[0], factors[i][0], sum);
      result[1] = result[1] ? v.plus(result[1], factors[i][1], difference) : v.times(factors[i][1], difference);
      result[2] = v.plus(result[2], factors[i][2], sum);
    }
    return result;
  }
};
} // namespace

struct WinogradTransforms::Kind {
  StringLiteral name;
  int64_t from, to; // vectors in a side of the square
  Line (Transform::*line)(const Line &) const;
};

WinogradTransforms::WinogradTransforms(KernelFrame &frame, WinogradSquare square, unsigned lanes)
    : frame(frame), square(square), lanes(lanes) {}

/// Returns the points of a square that lie `distance` apart.
SquareOfVectors WinogradTransforms::points(Value address, Value distance) const {
  return {address, frame.eval.mul(distance, frame.eval.i64(square.inputs())), distance};
}

WinogradTransforms::Arguments WinogradTransforms::oneLine(const SquareOfVectors &from, Value count,
                                                          const SquareOfVectors &to) const {
  PointEvaluator &eval = frame.eval;
  return {from, to, count, eval.i64(1), eval.i64(0), eval.i64(0)};
}

void WinogradTransforms::inputs(const SquareOfVectors &from, Value channels, Value to, Value toDistance) {
  call({"inputs", square.inputs(), square.inputs(), &Transform::inputs}, oneLine(from, channels, points(to, toDistance)));
}

void WinogradTransforms::filter(const SquareOfVectors &from, Value filters, Value channels, Value columns, Value to,
                                Value toDistance) {
  call({"filter", WinogradSquare::kTaps, square.inputs(), &Transform::filter},
       {from, points(to, toDistance), columns, channels, filters, columns});
}

void WinogradTransforms::outputs(Value from, Value fromDistance, Value columns, const SquareOfVectors &to) {
  call({"outputs", square.inputs(), square.outputs, &Transform::outputs}, oneLine(points(from, fromDistance), columns, to));
}

void WinogradTransforms::cotangents(const SquareOfVectors &from, Value filters, Value to, Value toDistance) {
  call({"cotangents", square.outputs, square.inputs(), &Transform::cotangents}, oneLine(from, filters, points(to, toDistance)));
}

void WinogradTransforms::taps(Value from, Value fromDistance, Value columns, const SquareOfVectors &to) {
  call({"taps", square.inputs(), WinogradSquare::kTaps, &Transform::taps}, oneLine(points(from, fromDistance), columns, to));
}

void WinogradTransforms::call(const Kind &kind, const Arguments &a) {
  SmallVector<Value> values{
      a.from.address,   a.to.address,       a.count, a.lines, a.fromPitch, a.toPitch, a.from.rowDistance, a.from.columnDistance,
      a.to.rowDistance, a.to.columnDistance};
  LLVM::CallOp::create(frame.b, frame.loc, function(kind, ArrayRef(values).take_back(4)), values);
}

/// Returns the function of a transform. Distances that are numbers are part of the code, and of its name: there are more
/// addresses than registers.
LLVM::LLVMFuncOp WinogradTransforms::function(const Kind &kind, ArrayRef<Value> distances) {
  Type pointer = LLVM::LLVMPointerType::get(frame.b.getContext()), i64 = frame.b.getI64Type();
  SmallVector<Type> types{pointer, pointer};
  types.append(8, i64);
  std::string symbol = llvm::formatv("winograd_{0}_{1}x{2}", kind.name, square.outputs, lanes);
  SmallVector<std::optional<int64_t>> numbers;
  for (Value distance : distances) {
    IntegerAttr number;
    numbers.push_back(matchPattern(distance, m_Constant(&number)) ? std::optional(number.getInt()) : std::nullopt);
    symbol += "_" + (number ? std::to_string(number.getInt()) : "any");
  }
  return sharedFunction(frame, symbol, types, [&](CodeFrame &inside, ArrayRef<Value> a) {
    SmallVector<Value> known(a.take_back(4));
    for (auto [value, number] : llvm::zip_equal(known, numbers))
      value = number ? inside.eval.i64(*number) : value;
    emit(inside, kind, {{a[0], known[0], known[1]}, {a[1], known[2], known[3]}, a[2], a[3], a[4], a[5]});
  });
}

void WinogradTransforms::emit(CodeFrame &inside, const Kind &kind, const Arguments &a) const {
  PointEvaluator &eval = inside.eval;
  Type element = inside.b.getF32Type();
  Transform transform{{inside}, WinogradPoints(square), square.outputs};
  auto place = [&](const SquareOfVectors &in, Value first, int64_t row, int64_t column) {
    Value offset = eval.add(eval.mul(in.rowDistance, eval.i64(row)), eval.mul(in.columnDistance, eval.i64(column)));
    return inside.at(inside.at(in.address, element, first), element, offset);
  };
  inside.loop(eval.i64(0), a.lines, 1, [&](Value line) {
    inside.loop(eval.i64(0), a.count, lanes, [&](Value first) {
      eval.lanes = lanes;
      Value from = eval.add(eval.mul(line, a.fromPitch), first), to = eval.add(eval.mul(line, a.toPitch), first);
      SmallVector<Line> rows(kind.to);
      for (int64_t column = 0; column < kind.from; ++column) {
        Line values;
        for (int64_t row = 0; row < kind.from; ++row)
          values.push_back(inside.loadLanes(place(a.from, from, row, column), element));
        for (auto [row, value] : llvm::enumerate((transform.*kind.line)(values)))
          rows[row].push_back(value);
      }
      for (auto [row, values] : llvm::enumerate(rows))
        for (auto [column, value] : llvm::enumerate((transform.*kind.line)(values)))
          inside.storeLanes(value, place(a.to, to, row, column));
    });
  });
}
