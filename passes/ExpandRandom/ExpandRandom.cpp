// Expands random numbers of a distribution to lathe.random_bits and arithmetic, each step of which rounds in one way only, so
// that every execution of a graph makes the same numbers from a seed. RandomOps.td defines each distribution.
#include "passes/ExpandRandom/ExpandRandom.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/ErfInvTerms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace lathe {
#define GEN_PASS_DEF_EXPANDRANDOMPASS
#include "passes/ExpandRandom/ExpandRandom.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
/// Emits elementwise ops on tensors and on scalar constants, which broadcast.
class Writer {
public:
  explicit Writer(Operation *op) : builder(op), location(op->getLoc()) {}

  template <typename Op, typename... Arguments>
  Value make(Arguments &&...arguments) {
    return Op::create(builder, location, std::forward<Arguments>(arguments)...);
  }
  Value add(Value a, Value b) { return make<AddOp>(a, b); }
  Value sub(Value a, Value b) { return make<SubOp>(a, b); }
  Value mul(Value a, Value b) { return make<MulOp>(a, b); }
  Value div(Value a, Value b) {
    Value quotient = make<DivOp>(a, b);
    quotient.getDefiningOp()->setAttr(kExactAttr, builder.getUnitAttr());
    return quotient;
  }
  Value neg(Value a) { return make<NegOp>(a); }
  Value up(Value a, int64_t by) { return make<ShiftLeftOp>(a, like(a, by)); }
  Value down(Value a, int64_t by) { return make<ShiftRightOp>(a, like(a, by)); }
  Value convert(Value a, Type element) { return make<ConvertOp>(a, element); }
  Value atLeast(Value a, double limit) { return make<CompareOp>(CompareKind::GE, a, real(a, limit)); }

  Value like(Value a, int64_t number) { return scalar(builder.getIntegerAttr(elementOf(a), number)); }
  Value real(Value a, double number) { return scalar(builder.getFloatAttr(elementOf(a), number)); }

  /// A polynomial that applies where `holds`: the last such choice counts.
  struct Choice {
    Value holds;
    ArrayRef<double> terms;
  };
  Value polynomial(Value x, ArrayRef<double> first, ArrayRef<Choice> choices = {}) {
    auto term = [&](size_t i) {
      Value value = real(x, first[i]);
      for (const Choice &choice : choices)
        value = make<SelectOp>(choice.holds, real(x, choice.terms[i]), value);
      return value;
    };
    Value sum = term(first.size() - 1);
    for (size_t i = first.size() - 1; i-- > 0;)
      sum = add(mul(sum, x), term(i));
    return sum;
  }

  OpBuilder builder;

private:
  static Type elementOf(Value a) { return getElementTypeOrSelf(a.getType()); }
  Value scalar(Attribute number) { return emitScalar(builder, location, cast<TypedAttr>(number)); }

  Location location;
};
} // namespace

template <typename Op>
static Value bitsFor(Writer &w, Op op, unsigned width) {
  return w.make<RandomBitsOp>(op.getSeed(), op.getStream(), op.getShapeAttr(), w.builder.getIntegerType(width));
}

/// Returns the upper bits, as many as the type's significand has, as an integer.
template <typename Op>
static Value upperBits(Writer &w, Op op, FloatType type) {
  unsigned width = type.isF64() ? 64 : 32;
  return w.down(bitsFor(w, op, width), width - type.getFPMantissaWidth());
}

static Value expandUniform(Writer &w, RandomUniformOp op) {
  auto type = cast<FloatType>(op.getElement());
  Value k = w.convert(upperBits(w, op, type), type);
  return w.mul(k, w.real(k, std::ldexp(1.0, -int(type.getFPMantissaWidth()))));
}

/// Returns -log(x) for 0 < x <= 1 and not denormal: x = m 2^n with m from sqrt(1/2) to sqrt(2), log(m) = 2 (s + s^3/3 + ...)
/// with s = (m - 1) / (m + 1).
static Value minusLog(Writer &w, Value x) {
  Type element = getElementTypeOrSelf(x.getType());
  bool isDouble = element.isF64();
  int fraction = isDouble ? 52 : 23;
  Value bits = w.make<BitcastOp>(x, w.builder.getIntegerType(isDouble ? 64 : 32));
  Value fromRoot = w.sub(bits, w.like(bits, isDouble ? 0x3fe6a09e667f3bcd : 0x3f3504f3));
  Value n = w.make<ShiftRightArithmeticOp>(fromRoot, w.like(bits, fraction));
  Value m = w.make<BitcastOp>(w.sub(bits, w.up(n, fraction)), element);
  Value f = w.sub(m, w.real(m, 1)), s = w.div(f, w.add(f, w.real(f, 2))), z = w.mul(s, s);
  SmallVector<double> terms;
  for (int i = 0; i < (isDouble ? 11 : 5); ++i)
    terms.push_back(2.0 / (2 * i + 1));
  Value ofM = w.mul(s, w.polynomial(z, terms));
  return w.neg(w.add(w.mul(w.convert(n, element), w.real(x, M_LN2)), ofM));
}

/// Returns erf_inv(u), |u| < 1.
static Value erfInv(Writer &w, Value u) {
  Value magnitude = w.make<AbsOp>(u), one = w.real(u, 1);
  Value log = minusLog(w, w.mul(w.sub(one, magnitude), w.add(one, magnitude))), root = w.make<SqrtOp>(log);
  auto about = [&](Value x, double middle) { return w.sub(x, w.real(x, middle)); };
  if (getElementTypeOrSelf(u.getType()).isF32()) {
    Value tail = w.atLeast(log, 5);
    Value t = w.make<SelectOp>(tail, about(root, 3.2), about(log, 2.5));
    return w.mul(u, w.polynomial(t, erfInvSingle, {{tail, erfInvSingleTail}}));
  }
  Value tail = w.atLeast(log, 5.5), far = w.atLeast(root, 4);
  Value t = w.make<SelectOp>(far, about(root, 5.1), w.make<SelectOp>(tail, about(root, 3.15), about(log, 2.75)));
  return w.mul(u, w.polynomial(t, erfInvDouble, {{tail, erfInvDoubleTail}, {far, erfInvDoubleFarTail}}));
}

static Value expandNormal(Writer &w, RandomNormalOp op) {
  Type element = op.getElement();
  auto type = cast<FloatType>(element.isF64() ? element : w.builder.getF32Type());
  int width = type.getFPMantissaWidth();
  Value k = upperBits(w, op, type);
  Value odd = w.sub(w.up(k, 1), w.like(k, (int64_t(1) << width) - 1));
  Value u = w.convert(odd, type);
  u = w.mul(u, w.real(u, std::ldexp(1.0, -width)));
  Value normal = w.mul(erfInv(w, u), w.real(u, M_SQRT2));
  return type == element ? normal : w.convert(normal, element);
}

/// Returns the upper 64 of the 96 bits of the product of 64 random ones and a number up to 2^32, half by half.
static Value expandIntegers(Writer &w, RandomIntegersOp op) {
  int64_t low = op.getLow(), count = int64_t(op.getHigh()) - low;
  Value bits = bitsFor(w, op, 64), range = w.like(bits, count);
  Value upper = w.down(bits, 32), lower = w.make<AndOp>(bits, w.like(bits, 0xffffffff));
  Value scaled = w.down(w.add(w.mul(upper, range), w.down(w.mul(lower, range), 32)), 32);
  Value number = w.add(scaled, w.like(bits, low));
  return op.getElement().isSignlessInteger(64) ? number : w.convert(number, op.getElement());
}

static Value expandBernoulli(Writer &w, RandomBernoulliOp op) {
  Value bits = w.convert(bitsFor(w, op, 32), w.builder.getI64Type());
  bits = w.make<AndOp>(bits, w.like(bits, 0xffffffff));
  auto limit = int64_t(std::nearbyint(std::ldexp(op.getProbability().convertToDouble(), 32)));
  return w.make<CompareOp>(CompareKind::LT, bits, w.like(bits, limit));
}

static Value expandPermutation(Writer &w, RandomPermutationOp op) {
  Value keys = bitsFor(w, op, 64);
  return w.make<ArgsortOp>(keys, cast<RankedTensorType>(keys.getType()).getRank() - 1, false);
}

static Value expandFoldIn(Writer &w, RandomFoldInOp op) {
  auto hash = [&](Value seed) {
    return w.make<RandomBitsOp>(seed, int64_t(UINT32_MAX), shapeOf(op.getContext(), Dims()), w.builder.getI64Type());
  };
  return hash(w.make<XorOp>(hash(op.getSeed()), op.getNumber()));
}

namespace {
struct ExpandRandom : lathe::impl::ExpandRandomPassBase<ExpandRandom> {
  void runOnOperation() final {
    getOperation()->walk([&](Operation *op) {
      Writer w(op);
      Value value = llvm::TypeSwitch<Operation *, Value>(op)
                        .Case([&](RandomUniformOp o) { return expandUniform(w, o); })
                        .Case([&](RandomNormalOp o) { return expandNormal(w, o); })
                        .Case([&](RandomIntegersOp o) { return expandIntegers(w, o); })
                        .Case([&](RandomBernoulliOp o) { return expandBernoulli(w, o); })
                        .Case([&](RandomPermutationOp o) { return expandPermutation(w, o); })
                        .Case([&](RandomFoldInOp o) { return expandFoldIn(w, o); })
                        .Default(Value());
      if (!value)
        return;
      op->getResult(0).replaceAllUsesWith(value);
      op->erase();
      ++expanded;
    });
  }
};
} // namespace
