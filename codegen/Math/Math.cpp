#include "codegen/Math/Math.h"
#include "codegen/Math/Functions.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace lathe::elementary {

namespace {

using Unary = Real (*)(Real);
using Ordered = Real (*)(Real, unsigned);
using Binary = Real (*)(Real, Real);
using Ternary = Real (*)(Real, Real, Real);

/// The function of an op; one of the four pointers is set.
struct Entry {
  StringRef name;
  Unary unary = nullptr;
  Ordered ordered = nullptr; // unary, for a given order
  Binary binary = nullptr;
  Ternary ternary = nullptr;
  Entry(StringRef name, Unary f) : name(name), unary(f) {}
  Entry(StringRef name, Ordered f) : name(name), ordered(f) {}
  Entry(StringRef name, Binary f) : name(name), binary(f) {}
  Entry(StringRef name, Ternary f) : name(name), ternary(f) {}
};

const Entry table[] = {
    {"acos", elementary::acos},
    {"acosh", elementary::acosh},
    {"asin", elementary::asin},
    {"asinh", elementary::asinh},
    {"atan", elementary::atan},
    {"atan2", elementary::atan2},
    {"atanh", elementary::atanh},
    {"cbrt", elementary::cbrt},
    {"cos", elementary::cos},
    {"cosh", elementary::cosh},
    {"digamma", elementary::digamma},
    {"erf", elementary::erf},
    {"erf_inv", elementary::erfInv},
    {"erfc", elementary::erfc},
    {"exp", elementary::exp},
    {kExpOfNonpositive, expOfNonpositive},
    {"exp2", elementary::exp2},
    {"expm1", elementary::expm1},
    {"fma", fusedMultiplyAdd},
    {"hypot", elementary::hypot},
    {"lgamma", elementary::lgamma},
    {"log", elementary::log},
    {"log10", elementary::log10},
    {"log1p", elementary::log1p},
    {"log2", elementary::log2},
    {"logistic", elementary::logistic},
    {"polygamma", elementary::polygamma},
    {"pow", elementary::pow},
    {"rem", elementary::rem},
    {"rsqrt", elementary::rsqrt},
    {"sin", elementary::sin},
    {"sinh", elementary::sinh},
    {"tan", elementary::tan},
    {"tanh", elementary::tanh},
};

/// The functions that have a version for a GPU's approximations.
const Entry approximations[] = {{"erf", approximateErf},           {"erfc", approximateErfc},
                                {"exp", approximateExp},           {kExpOfNonpositive, approximateExp},
                                {"logistic", approximateLogistic}, {"tanh", approximateTanh}};

/// The functions that have a shorter version for --math=fast.
const Entry shorter[] = {{"erf", fastErf},           {"erfc", fastErfc},
                         {"exp", fastExp},           {kExpOfNonpositive, fastExpOfNonpositive},
                         {"logistic", fastLogistic}, {"tanh", fastTanh}};

/// Returns the entry of this name; null if there is none.
const Entry *entryOf(llvm::ArrayRef<Entry> entries, StringRef name) {
  const Entry *found = llvm::find_if(entries, [&](const Entry &each) { return each.name == name; });
  return found == entries.end() ? nullptr : found;
}

} // namespace

Value emitMath(OpBuilder &builder, Location loc, StringRef function, ValueRange operands, MathTarget target, unsigned order) {
  if (operands.empty())
    return {};
  Type type = operands.front().getType(), element = getElementTypeOrSelf(type);
  if (!llvm::all_of(operands, [&](Value operand) { return operand.getType() == type; }))
    return {};
  Emitter emitter{builder, loc, target.hasFMA, target.hasScale, target.lookupLanes};
  if (isa<IntegerType>(element)) {
    if (function == "pow" && operands.size() == 2)
      return integerPower({{&emitter, operands[0]}}, {{&emitter, operands[1]}}).value;
    return {};
  }
  if (!element.isF32() && !element.isF64())
    return {};
  auto operand = [&](unsigned i) { return Real{{&emitter, operands[i]}}; };
  const Entry *entry = nullptr;
  if (target.approximates && element.isF32())
    entry = entryOf(approximations, function);
  else if (target.isFast && element.isF32())
    entry = entryOf(shorter, function);
  if (!entry)
    entry = entryOf(table, function);
  if (!entry)
    return {};
  if (entry->unary && operands.size() == 1)
    return entry->unary(operand(0)).value;
  if (entry->ordered && operands.size() == 1)
    return entry->ordered(operand(0), order).value;
  if (entry->binary && operands.size() == 2)
    return entry->binary(operand(0), operand(1)).value;
  if (entry->ternary && operands.size() == 3)
    return entry->ternary(operand(0), operand(1), operand(2)).value;
  return {};
}

} // namespace lathe::elementary
