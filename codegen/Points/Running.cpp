#include "codegen/Points/Running.h"
#include "codegen/Math/Math.h"
#include "codegen/Points/Reduction.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace lathe;

Value Running::neutral() const {
  NestReduction kind = isCostly() ? NestReduction::Max : op ? reduction() : NestReduction::Sum;
  return arith::ConstantOp::create(frame.b, frame.loc, neutralOf(kind, element, frame.b));
}

NestReduction Running::reduction() const { return reductionOf(CumulativeOp(op).getKind()); }

Value Running::combine(Value total, Value value) const {
  return isCostly() ? addLogs(total, value) : lathe::combine(frame.b, frame.loc, reduction(), total, value);
}

/// Returns log(exp(x) + exp(y)) = max + log1p(exp(-|x - y|)); equal values are a case of their own, because infinities have no
/// difference.
Value Running::addLogs(Value x, Value y) const {
  OpBuilder &b = frame.b;
  Location loc = frame.loc;
  auto function = [&](StringRef name, Value operand) {
    return elementary::emitMath(b, loc, name, operand, elementary::MathTarget{frame.target.hasFMA});
  };
  Value distance = math::AbsFOp::create(b, loc, arith::SubFOp::create(b, loc, x, y));
  Value rest = function("log1p", function("exp", arith::NegFOp::create(b, loc, distance)));
  Value sum = arith::AddFOp::create(b, loc, arith::MaximumFOp::create(b, loc, x, y), rest);
  Value log2 = frame.eval.constant(element, std::log(2.0));
  if (isa<VectorType>(x.getType()))
    log2 = frame.eval.splat(log2);
  Value equal = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, x, y);
  return arith::SelectOp::create(b, loc, equal, arith::AddFOp::create(b, loc, x, log2), sum);
}
