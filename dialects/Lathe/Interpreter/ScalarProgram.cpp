#include "dialects/Lathe/Interpreter/ScalarProgram.h"
#include "dialects/Lathe/IR/Threefry.h"
#include "dialects/Lathe/Interpreter/Evaluate.h"
#include "dialects/Lathe/Interpreter/Functions.h"
#include "dialects/Lathe/Interpreter/Places.h"
#include "dialects/Lathe/Interpreter/Scalars.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

/// Returns an integer as its signed type: integers in a nest are signless, and stored as signed.
template <std::integral T>
static auto signless(T value) {
  if constexpr (std::same_as<T, bool>)
    return value;
  else
    return std::make_signed_t<T>(value);
}

Scalar lathe::loadScalar(const Tensor &tensor, int64_t place) {
  return visitAny(tensor.getElement(), [&](auto zero) {
    using T = decltype(zero);
    T value = tensor.data<T>()[place];
    if constexpr (std::is_integral_v<T>)
      return Scalar{0, int64_t(signless(value))};
    else
      return Scalar{double(value), 0};
  });
}

void lathe::storeScalar(Tensor &tensor, int64_t place, Scalar value) {
  visitAny(tensor.getElement(), [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_integral_v<T>)
      tensor.data<T>()[place] = T(value.integer);
    else
      tensor.data<T>()[place] = T(value.real);
    return true;
  });
}

static unsigned widthOf(Value value) { return value.getType().getIntOrFloatBitWidth(); }

/// Returns the low bits as a number of that width.
static int64_t wrap(unsigned width, uint64_t bits) {
  return width == 1 ? int64_t(bits & 1) : width == 64 ? int64_t(bits) : llvm::SignExtend64(bits, width);
}
static uint64_t unsignedOf(unsigned width, int64_t value) { return width == 64 ? value : value & ((uint64_t(1) << width) - 1); }
static int64_t signedOf(unsigned width, int64_t value) { return width == 1 ? -value : value; } // an i1 is stored as 0 or 1

static bool compareFloats(arith::CmpFPredicate predicate, double x, double y) {
  using P = arith::CmpFPredicate;
  bool unordered = x != x || y != y;
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return x == y;
  case P::OGT:
    return x > y;
  case P::OGE:
    return x >= y;
  case P::OLT:
    return x < y;
  case P::OLE:
    return x <= y;
  case P::ONE:
    return !unordered && x != y;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || x == y;
  case P::UGT:
    return unordered || x > y;
  case P::UGE:
    return unordered || x >= y;
  case P::ULT:
    return unordered || x < y;
  case P::ULE:
    return unordered || x <= y;
  case P::UNE:
    return unordered || x != y;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  return false;
}

/// Returns the function that rounds to a float type.
static double (*roundingTo(Type type))(double) {
  if (type.isF32())
    return [](double x) { return double(float(x)); };
  if (type.isF16())
    return [](double x) { return double(Float16(x)); };
  if (type.isBF16())
    return [](double x) { return double(BFloat16(x)); };
  return [](double x) { return x; };
}

/// Compiles ops to steps over numbered slots.
struct lathe::ScalarProgramBuilder {
  using Step = ScalarProgram::Step;
  const Sizes &sizes;
  llvm::function_ref<const Tensor *(Value)> tensorOf;
  llvm::DenseMap<Value, unsigned> numbers;

  unsigned slot(Value value) { return numbers.try_emplace(value, numbers.size()).first->second; }

  template <typename F>
  Step real(Operation *op, F f) { // of one or two floats
    unsigned a = slot(op->getOperand(0)), b = slot(op->getOperand(op->getNumOperands() - 1)), r = slot(op->getResult(0));
    bool single = op->getResult(0).getType().isF32(); // nests compute only in f32 and f64
    return [=](Scalar *s, const int64_t *) {
      double value = double(f(s[a].real, s[b].real));
      s[r].real = single ? double(float(value)) : value;
    };
  }
  template <typename F>
  Step integer(Operation *op, F f) { // of two integers
    unsigned a = slot(op->getOperand(0)), b = slot(op->getOperand(1)), r = slot(op->getResult(0)),
             width = widthOf(op->getResult(0));
    return [=](Scalar *s, const int64_t *) { s[r].integer = wrap(width, f(s[a].integer, s[b].integer, width)); };
  }
  template <typename F>
  Step bits(Operation *op, F f) { // f(unsigned value, width) of one integer
    unsigned a = slot(op->getOperand(0)), r = slot(op->getResult(0)), width = widthOf(op->getResult(0));
    return [=](Scalar *s, const int64_t *) { s[r].integer = wrap(width, uint64_t(f(unsignedOf(width, s[a].integer), width))); };
  }
  template <typename F>
  Step cast(Operation *op, F f) { // f(scalar, width of the operand)
    unsigned a = slot(op->getOperand(0)), r = slot(op->getResult(0)), from = widthOf(op->getOperand(0)),
             to = widthOf(op->getResult(0));
    bool isReal = isa<FloatType>(op->getResult(0).getType());
    auto round = roundingTo(op->getResult(0).getType());
    return [=](Scalar *s, const int64_t *) {
      auto value = f(s[a], from);
      if constexpr (std::is_integral_v<decltype(value)>)
        s[r].real = isReal && to == 32 ? double(float(value)) : double(value);
      else if (isReal)
        s[r].real = round(value);
      if (!isReal)
        s[r].integer = wrap(to, uint64_t(int64_t(value)));
    };
  }

  /// Returns the step of a word of threefry2x32.
  Step threefry(ApplyOp op) {
    SmallVector<unsigned, 4> from;
    for (Value value : op.getArguments())
      from.push_back(slot(value));
    unsigned r = slot(op.getResult()), width = widthOf(op.getResult());
    bool isFirst = op.getFunction() == kThreefry;
    return [=](Scalar *s, const int64_t *) {
      auto word = [&](unsigned i) { return uint32_t(s[from[i]].integer); };
      auto [first, second] = threefry2x32({word(0), word(1)}, {word(2), word(3)});
      s[r].integer = wrap(width, isFirst ? first : second);
    };
  }
  Step apply(ApplyOp op) {
    if (op.getFunction() == kThreefry || op.getFunction() == kThreefrySecond)
      return threefry(op);
    SmallVector<unsigned, 3> operands;
    for (Value value : op.getArguments())
      operands.push_back(slot(value));
    operands.resize(3, operands.front());
    unsigned a = operands[0], b = operands[1], c = operands[2], r = slot(op.getResult()), width = widthOf(op.getResult());
    const ElementaryFunction *function = elementaryFunction(op.getFunction());
    if (op.getType().isSignlessInteger()) // pow
      return [=](Scalar *s, const int64_t *) { s[r].integer = wrap(width, scalar::pow(s[a].integer, s[b].integer)); };
    if (!function)
      return {};
    if (std::optional<uint64_t> order = op.getOrder()) {
      bool isSingle = op.getType().isF32();
      return [=](Scalar *s, const int64_t *) {
        s[r].real = isSingle ? (*function)(float(s[a].real), float(*order)) : (*function)(s[a].real, double(*order));
      };
    }
    if (op.getType().isF32())
      return [=](Scalar *s, const int64_t *) { s[r].real = (*function)(float(s[a].real), float(s[b].real), float(s[c].real)); };
    return [=](Scalar *s, const int64_t *) { s[r].real = (*function)(s[a].real, s[b].real, s[c].real); };
  }
  /// Converts between a float and an integer of the same width.
  Step bitcast(arith::BitcastOp op) {
    unsigned a = slot(op.getIn()), r = slot(op.getResult()), width = widthOf(op.getIn());
    bool fromReal = isa<FloatType>(op.getIn().getType()), toReal = isa<FloatType>(op.getType());
    return [=](Scalar *s, const int64_t *) {
      uint64_t bits = !fromReal     ? uint64_t(s[a].integer)
                      : width == 32 ? std::bit_cast<uint32_t>(float(s[a].real))
                                    : std::bit_cast<uint64_t>(s[a].real);
      if (toReal)
        s[r].real = width == 32 ? double(std::bit_cast<float>(uint32_t(bits))) : std::bit_cast<double>(bits);
      else
        s[r].integer = wrap(width, bits);
    };
  }
  Step constant(arith::ConstantOp op) {
    Scalar value;
    if (auto attr = dyn_cast<FloatAttr>(op.getValue()))
      value.real = attr.getValueAsDouble();
    else
      value.integer = wrap(widthOf(op.getResult()), mlir::cast<IntegerAttr>(op.getValue()).getValue().getZExtValue());
    unsigned r = slot(op.getResult());
    return [=](Scalar *s, const int64_t *) { s[r] = value; };
  }
  Step compareIntegers(arith::CmpIOp op) {
    unsigned a = slot(op.getLhs()), b = slot(op.getRhs()), r = slot(op.getResult()), width = widthOf(op.getLhs());
    arith::CmpIPredicate predicate = op.getPredicate();
    return [=](Scalar *s, const int64_t *) {
      APInt x(64, unsignedOf(width, s[a].integer)), y(64, unsignedOf(width, s[b].integer));
      s[r].integer = arith::applyCmpPredicate(predicate, x.trunc(width), y.trunc(width));
    };
  }
  Step select(arith::SelectOp op) {
    unsigned p = slot(op.getCondition()), a = slot(op.getTrueValue()), b = slot(op.getFalseValue()), r = slot(op.getResult());
    return [=](Scalar *s, const int64_t *) { s[r] = s[p].integer ? s[a] : s[b]; };
  }
  Step index(IndexOp op) {
    unsigned r = slot(op.getResult()), dim = op.getDim();
    return [=](Scalar *s, const int64_t *index) { s[r].integer = index[dim]; };
  }
  Step extent(ExtentOp op) {
    unsigned r = slot(op.getResult());
    int64_t value = evaluate(Dim::fromAttr(op.getDim()), sizes).value_or(0);
    return [=](Scalar *s, const int64_t *) { s[r].integer = value; };
  }
  Step element(ElementOp op) {
    unsigned r = slot(op.getResult());
    SmallVector<unsigned> places;
    for (Value value : op.getIndices())
      places.push_back(slot(value));
    const Tensor *tensor = tensorOf(op.getTensor());
    if (!tensor)
      return {};
    Extents strides = rowMajorStrides(tensor->getShape());
    return [=](Scalar *s, const int64_t *) {
      int64_t place = 0;
      for (size_t i = 0; i < places.size(); ++i) {
        int64_t at = s[places[i]].integer;
        if (at < 0 || at >= tensor->getShape()[i]) {
          s[r] = Scalar();
          return;
        }
        place += at * strides[i];
      }
      s[r] = loadScalar(*tensor, place);
    };
  }

  Step realOp(Operation *op) {
    return llvm::TypeSwitch<Operation *, Step>(op)
        .Case([&](arith::AddFOp) { return real(op, [](double a, double b) { return a + b; }); })
        .Case([&](arith::SubFOp) { return real(op, [](double a, double b) { return a - b; }); })
        .Case([&](arith::MulFOp) { return real(op, [](double a, double b) { return a * b; }); })
        .Case([&](arith::DivFOp) { return real(op, [](double a, double b) { return a / b; }); })
        .Case([&](arith::RemFOp) { return real(op, [](double a, double b) { return std::fmod(a, b); }); })
        .Case([&](arith::MaximumFOp) { return real(op, [](double a, double b) { return scalar::max(a, b); }); })
        .Case([&](arith::MinimumFOp) { return real(op, [](double a, double b) { return scalar::min(a, b); }); })
        .Case([&](arith::NegFOp) { return real(op, [](double a, double) { return -a; }); })
        .Case([&](math::AbsFOp) { return real(op, [](double a, double) { return std::fabs(a); }); })
        .Case([&](math::SqrtOp) { return real(op, [](double a, double) { return std::sqrt(a); }); })
        .Case([&](math::FloorOp) { return real(op, [](double a, double) { return std::floor(a); }); })
        .Case([&](math::CeilOp) { return real(op, [](double a, double) { return std::ceil(a); }); })
        .Case([&](math::TruncOp) { return real(op, [](double a, double) { return std::trunc(a); }); })
        .Case([&](math::RoundOp) { return real(op, [](double a, double) { return std::round(a); }); })
        .Case([&](math::CopySignOp) { return real(op, [](double a, double b) { return std::copysign(a, b); }); })
        .Case([&](math::RoundEvenOp) { return real(op, [](double a, double) { return std::nearbyint(a); }); })
        .Default(Step());
  }

  Step integerOp(Operation *op) {
    using U = uint64_t;
    return llvm::TypeSwitch<Operation *, Step>(op)
        .Case([&](arith::AddIOp) { return integer(op, [](U a, U b, unsigned) { return a + b; }); })
        .Case([&](arith::SubIOp) { return integer(op, [](U a, U b, unsigned) { return a - b; }); })
        .Case([&](arith::MulIOp) { return integer(op, [](U a, U b, unsigned) { return a * b; }); })
        .Case([&](arith::DivSIOp) { return integer(op, [](int64_t a, int64_t b, unsigned) { return U(scalar::div(a, b)); }); })
        .Case([&](arith::DivUIOp) {
          return integer(op, [](U a, U b, unsigned w) { return scalar::div(unsignedOf(w, a), unsignedOf(w, b)); });
        })
        .Case([&](arith::RemUIOp) {
          return integer(op, [](U a, U b, unsigned w) { return scalar::rem(unsignedOf(w, a), unsignedOf(w, b)); });
        })
        .Case([&](arith::MaxUIOp) {
          return integer(op, [](U a, U b, unsigned w) { return std::max(unsignedOf(w, a), unsignedOf(w, b)); });
        })
        .Case([&](arith::MinUIOp) {
          return integer(op, [](U a, U b, unsigned w) { return std::min(unsignedOf(w, a), unsignedOf(w, b)); });
        })
        .Case([&](arith::RemSIOp) { return integer(op, [](int64_t a, int64_t b, unsigned) { return U(scalar::rem(a, b)); }); })
        .Case([&](arith::AndIOp) { return integer(op, [](U a, U b, unsigned) { return a & b; }); })
        .Case([&](arith::OrIOp) { return integer(op, [](U a, U b, unsigned) { return a | b; }); })
        .Case([&](arith::XOrIOp) { return integer(op, [](U a, U b, unsigned) { return a ^ b; }); })
        .Case([&](arith::ShLIOp) { return integer(op, [](U a, U b, unsigned width) { return b < width ? a << b : 0; }); })
        .Case([&](arith::ShRUIOp) {
          return integer(op, [](int64_t a, U b, unsigned width) { return b < width ? unsignedOf(width, a) >> b : 0; });
        })
        .Case([&](arith::ShRSIOp) {
          return integer(op, [](int64_t a, U b, unsigned width) { return U(a >> (b < width ? b : 63)); });
        })
        .Case([&](math::CtPopOp) { return bits(op, [](U a, unsigned) { return std::popcount(a); }); })
        .Case([&](math::CountLeadingZerosOp) {
          return bits(op, [](U a, unsigned width) { return std::countl_zero(a) - (64 - int(width)); });
        })
        .Case([&](math::CountTrailingZerosOp) {
          return bits(op, [](U a, unsigned width) { return std::min(std::countr_zero(a), int(width)); });
        })
        .Case([&](arith::MaxSIOp) { return integer(op, [](int64_t a, int64_t b, unsigned) { return U(std::max(a, b)); }); })
        .Case([&](arith::MinSIOp) { return integer(op, [](int64_t a, int64_t b, unsigned) { return U(std::min(a, b)); }); })
        .Default(Step());
  }

  Step castOp(Operation *op) {
    return llvm::TypeSwitch<Operation *, Step>(op)
        .Case<arith::ExtFOp, arith::TruncFOp>([&](auto) { return cast(op, [](Scalar x, unsigned) { return x.real; }); })
        .Case([&](arith::FPToSIOp) { return cast(op, [](Scalar x, unsigned) { return scalar::convert<int64_t>(x.real); }); })
        .Case([&](arith::FPToUIOp) {
          return cast(op, [](Scalar x, unsigned) { return int64_t(scalar::convert<uint64_t>(x.real)); });
        })
        .Case([&](arith::ExtUIOp) { return cast(op, [](Scalar x, unsigned w) { return int64_t(unsignedOf(w, x.integer)); }); })
        .Case<arith::ExtSIOp, arith::TruncIOp, arith::SIToFPOp>(
            [&](auto) { return cast(op, [](Scalar x, unsigned w) { return signedOf(w, x.integer); }); })
        .Case([&](arith::UIToFPOp) { return cast(op, [](Scalar x, unsigned w) { return unsignedOf(w, x.integer); }); })
        .Default(Step());
  }

  Step stepOf(Operation *op) {
    for (auto family : {&ScalarProgramBuilder::realOp, &ScalarProgramBuilder::integerOp, &ScalarProgramBuilder::castOp})
      if (Step step = (this->*family)(op))
        return step;
    return llvm::TypeSwitch<Operation *, Step>(op)
        .Case([&](arith::ConstantOp o) { return constant(o); })
        .Case([&](arith::CmpIOp o) { return compareIntegers(o); })
        .Case([&](arith::CmpFOp o) {
          unsigned a = slot(o.getLhs()), b = slot(o.getRhs()), r = slot(o.getResult());
          arith::CmpFPredicate predicate = o.getPredicate();
          return Step([=](Scalar *s, const int64_t *) { s[r].integer = compareFloats(predicate, s[a].real, s[b].real); });
        })
        .Case([&](arith::SelectOp o) { return select(o); })
        .Case([&](ApplyOp o) { return apply(o); })
        .Case([&](arith::BitcastOp o) { return bitcast(o); })
        .Case([&](IndexOp o) { return index(o); })
        .Case([&](ExtentOp o) { return extent(o); })
        .Case([&](ElementOp o) { return element(o); })
        .Default(Step());
  }
};

FailureOr<ScalarProgram> ScalarProgram::build(Block &block, const Sizes &sizes,
                                              llvm::function_ref<const Tensor *(Value)> tensorOf) {
  ScalarProgramBuilder builder{sizes, tensorOf, llvm::DenseMap<Value, unsigned>()};
  ScalarProgram program;
  for (BlockArgument argument : block.getArguments())
    builder.slot(argument);
  for (Operation &op : block.without_terminator()) {
    program.steps.push_back(builder.stepOf(&op));
    if (!program.steps.back())
      return op.emitError("the interpreter does not run ") << op.getName() << " inside a nest", failure();
  }
  program.result = builder.slot(block.getTerminator()->getOperand(0));
  program.slots.resize(builder.numbers.size());
  return program;
}
