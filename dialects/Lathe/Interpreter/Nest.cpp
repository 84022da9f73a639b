// lathe.nest: runs one scalar program at every point.
#include "dialects/Lathe/Interpreter/Nest.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "dialects/Lathe/Interpreter/ScalarProgram.h"
#include "dialects/Lathe/Interpreter/Sum.h"

using namespace mlir;
using namespace lathe;

static int64_t valueOf(AffineExpr expr, ArrayRef<int64_t> dims, ArrayRef<int64_t> symbols) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return symbols[symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t left = valueOf(binary.getLHS(), dims, symbols), right = valueOf(binary.getRHS(), dims, symbols);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    return left * right;
  case AffineExprKind::Mod:
    return llvm::mod(left, right);
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(left, right);
  default:
    return llvm::divideCeilSigned(left, right);
  }
}

namespace {
/// An affine expression over a point: coefficients if it is linear, as nearly all are, else the expression itself.
class PointExpr {
public:
  PointExpr(AffineExpr expr, unsigned rank, ArrayRef<int64_t> symbols)
      : expr(expr), symbols(symbols), coefficients(rank, 0), linear(isLinear(expr)) {
    if (!linear)
      return;
    Extents point(rank, 0);
    constant = valueOf(expr, point, symbols);
    for (unsigned i = 0; i < rank; ++i) {
      point[i] = 1;
      coefficients[i] = valueOf(expr, point, symbols) - constant;
      point[i] = 0;
    }
  }

  int64_t at(ArrayRef<int64_t> point) const {
    if (!linear)
      return valueOf(expr, point, symbols);
    int64_t sum = constant;
    for (size_t i = 0; i < coefficients.size(); ++i)
      sum += coefficients[i] * point[i];
    return sum;
  }

private:
  /// True if the expression is linear. Products with symbols are linear too: a symbol is a number here.
  static bool isLinear(AffineExpr expr) {
    return !expr.walk([](AffineExpr part) {
                  bool divides = part.getKind() == AffineExprKind::Mod || part.getKind() == AffineExprKind::FloorDiv ||
                                 part.getKind() == AffineExprKind::CeilDiv;
                  return divides ? WalkResult::interrupt() : WalkResult::advance();
                })
                .wasInterrupted();
  }

  AffineExpr expr;
  ArrayRef<int64_t> symbols;
  Extents coefficients;
  bool linear;
  int64_t constant = 0;
};

/// Reads an operand at a point.
struct Reader {
  const Tensor &tensor;
  SmallVector<PointExpr> indices, nonNegative, zero;
  Scalar fill;
  Extents strides;

  Reader(const Tensor &tensor, AccessAttr access, ArrayRef<int64_t> symbols)
      : tensor(tensor), strides(rowMajorStrides(tensor.getShape())) {
    AffineMap map = access.getMap().getValue();
    IntegerSet guard = access.getGuard().getValue();
    for (AffineExpr index : map.getResults())
      indices.emplace_back(index, map.getNumDims(), symbols);
    for (unsigned i = 0; i < guard.getNumConstraints(); ++i)
      (guard.isEq(i) ? zero : nonNegative).emplace_back(guard.getConstraint(i), map.getNumDims(), symbols);
    if (auto real = dyn_cast<FloatAttr>(access.getFill())) {
      fill.real = real.getValueAsDouble();
    } else {
      APInt value = cast<IntegerAttr>(access.getFill()).getValue();
      fill.integer = value.getBitWidth() == 1 ? int64_t(value.getZExtValue()) : value.getSExtValue();
    }
  }

  bool isRead(ArrayRef<int64_t> point) const {
    return llvm::all_of(nonNegative, [&](const PointExpr &expr) { return expr.at(point) >= 0; }) &&
           llvm::all_of(zero, [&](const PointExpr &expr) { return expr.at(point) == 0; });
  }

  /// Returns nullopt for an out-of-range read, which a guard should have prevented.
  std::optional<Scalar> read(ArrayRef<int64_t> point) const {
    if (!isRead(point))
      return fill;
    int64_t place = 0;
    for (size_t i = 0; i < indices.size(); ++i) {
      int64_t index = indices[i].at(point);
      if (index < 0 || index >= tensor.getShape()[i])
        return std::nullopt;
      place += index * strides[i];
    }
    return loadScalar(tensor, place);
  }
};

/// The intermediate result of one point's reduction.
struct Accumulator {
  NestReduction kind;
  Element element; // of the combined values

  bool isReal() const { return element == Element::F32 || element == Element::F64; }
  bool isRealSum() const { return kind == NestReduction::Sum && isReal(); }

  Scalar neutral() const {
    if (kind == NestReduction::Product)
      return {1, 1};
    if (kind == NestReduction::And)
      return {0, element == Element::I1 ? 1 : -1};
    if (kind != NestReduction::Max && kind != NestReduction::Min)
      return {};
    return visitNumber(element, [&](auto zero) {
      using Limits = std::numeric_limits<decltype(zero)>;
      bool isMax = kind == NestReduction::Max;
      return Scalar{isMax ? -INFINITY : INFINITY, isMax ? int64_t(Limits::lowest()) : int64_t(Limits::max())};
    });
  }

  Scalar combine(Scalar a, Scalar b) const {
    if (kind == NestReduction::And)
      return {0, a.integer & b.integer};
    if (kind == NestReduction::Or)
      return {0, a.integer | b.integer};
    if (kind == NestReduction::Xor)
      return {0, a.integer ^ b.integer};
    return visitNumber(element, [&](auto zero) {
      using T = decltype(zero);
      T x = isReal() ? T(a.real) : T(a.integer), y = isReal() ? T(b.real) : T(b.integer), z;
      switch (kind) {
      case NestReduction::Sum:
        z = scalar::add(x, y);
        break;
      case NestReduction::Product:
        z = scalar::mul(x, y);
        break;
      case NestReduction::Max:
        z = scalar::max(x, y);
        break;
      case NestReduction::Min:
        z = scalar::min(x, y);
        break;
      default:
        z = y;
      }
      return isReal() ? Scalar{double(z), 0} : Scalar{0, int64_t(z)};
    });
  }

  /// True if `next` replaces the best element so far: it is better, or the first NaN.
  bool replaces(Scalar next, Scalar best) const {
    if (kind == NestReduction::Argmin)
      std::swap(next, best);
    if (!isReal())
      return next.integer > best.integer;
    bool isBetter = next.real > best.real;
    if (kind == NestReduction::Argmin)
      std::swap(next, best);
    return best.real == best.real && (isBetter || next.real != next.real);
  }
};
} // namespace

FailureOr<Tensor> lathe::evaluateNest(NestOp op, const NestEnvironment &environment) {
  SmallVector<int64_t> extents, symbols;
  for (const Dim &dim : dimsOf(op.getExtents()))
    extents.push_back(evaluate(dim, environment.sizes).value_or(-1));
  for (Attribute name : op.getSymbols())
    symbols.push_back(evaluate(Dim::named(cast<StringAttr>(name).getValue()), environment.sizes).value_or(-1));
  if (!countElements(extents))
    return op.emitError("an extent of ") << str(dimsOf(op.getExtents())) << " has no size here, or is negative", failure();
  Block &body = op.getBody().front();
  FailureOr<ScalarProgram> program = ScalarProgram::build(body, environment.sizes, environment.tensorOf);
  if (failed(program))
    return failure();
  std::vector<Reader> readers;
  for (auto [input, access] : llvm::zip_equal(op.getInputs(), op.getAccesses()))
    readers.emplace_back(*environment.tensorOf(input), cast<AccessAttr>(access), symbols);

  size_t parallel = cast<RankedTensorType>(op.getResult().getType()).getRank();
  ArrayRef<int64_t> all = extents;
  int64_t points = product(all.take_front(parallel)), steps = product(all.drop_front(parallel));
  Element element = *elementOf(getElementTypeOrSelf(op.getResult().getType()));
  Tensor result(element, all.take_front(parallel));
  if (givesIndex(op.getReduction()))
    element = *elementOf(body.getTerminator()->getOperand(0).getType());
  Accumulator accumulator{op.getReduction(), element};
  SmallVector<int64_t> index(extents.size(), 0);
  auto place = MutableArrayRef(index).take_front(parallel), reduced = MutableArrayRef(index).drop_front(parallel);
  for (int64_t point = 0; point < points; ++point, advanceIndex(place, all.take_front(parallel))) {
    Scalar total = accumulator.neutral();
    scalar::Sum<double> sum; // for f32 terms too, rounded once
    int64_t best = 0;
    for (int64_t step = 0; step < steps; ++step, advanceIndex(reduced, all.drop_front(parallel))) {
      for (auto [i, reader] : llvm::enumerate(readers)) {
        std::optional<Scalar> value = reader.read(index);
        if (!value)
          return op.emitError("input ") << i << " is read out of range", failure();
        program->input(i) = *value;
      }
      Scalar value = program->run(index.data());
      if (accumulator.isRealSum())
        sum.add(value.real);
      else if (!givesIndex(op.getReduction()))
        total = op.getReduction() == NestReduction::None ? value : accumulator.combine(total, value);
      else if (step == 0 || accumulator.replaces(value, total))
        total = value, best = step;
    }
    if (accumulator.isRealSum())
      total.real = sum.value();
    storeScalar(result, point, givesIndex(op.getReduction()) ? Scalar{0, best} : total);
  }
  return result;
}
