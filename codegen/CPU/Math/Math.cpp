#include "codegen/CPU/Math/Math.h"
#include "codegen/CPU/Math/Functions.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace lathe::cpu::elementary;

namespace lathe::cpu {

using Unary = Real (*)(Real);
using Binary = Real (*)(Real, Real);

static Unary unaryNamed(StringRef name) {
  return llvm::StringSwitch<Unary>(name)
      .Case("cos", elementary::cos)
      .Case("erf", elementary::erf)
      .Case("exp", elementary::exp)
      .Case("expm1", elementary::expm1)
      .Case("log", elementary::log)
      .Case("log1p", elementary::log1p)
      .Case("logistic", elementary::logistic)
      .Case("rsqrt", elementary::rsqrt)
      .Case("sin", elementary::sin)
      .Case("tanh", elementary::tanh)
      .Default(nullptr);
}

static Binary binaryNamed(StringRef name) {
  return llvm::StringSwitch<Binary>(name).Case("pow", elementary::pow).Case("rem", elementary::rem).Default(nullptr);
}

Value emitMath(OpBuilder &builder, Location loc, StringRef function, ValueRange operands, MathTarget target) {
  if (operands.empty())
    return {};
  Type type = operands.front().getType(), element = getElementTypeOrSelf(type);
  if (!element.isF32() && !element.isF64())
    return {};
  if (!llvm::all_of(operands, [&](Value operand) { return operand.getType() == type; }))
    return {};
  Emitter emitter{builder, loc, target.hasFMA};
  if (Unary unary = unaryNamed(function); unary && operands.size() == 1)
    return unary({{&emitter, operands[0]}}).value;
  if (Binary binary = binaryNamed(function); binary && operands.size() == 2)
    return binary({{&emitter, operands[0]}}, {{&emitter, operands[1]}}).value;
  return {};
}

} // namespace lathe::cpu
