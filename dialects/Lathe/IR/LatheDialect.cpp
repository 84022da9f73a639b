#include "dialects/Lathe/IR/DerivativeRules.h"
#include "dialects/Lathe/IR/ShardAttributes.h"
#include "dialects/Lathe/IR/Syntax.h"
#include "dialects/Lathe/Std/Expand.h"
#include "lib/Support/Text.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lathe;

#include "dialects/Lathe/IR/LatheDialect.cpp.inc"
#include "dialects/Lathe/IR/LatheEnums.cpp.inc"
#include "dialects/Lathe/IR/LatheInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Lathe/IR/LatheAttributes.cpp.inc"

void LatheDialect::initialize() {
  expansions = std::make_unique<composites::Expansions>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Lathe/IR/LatheAttributes.cpp.inc"
      >();
  registerLatheDialectOperations(this);
}

Operation *LatheDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!elements || !tensor || !tensor.hasStaticShape())
    return nullptr;
  return ConstantOp::create(builder, location, elements);
}

/// Verifies a list with the axis, or "", of each dimension.
static LogicalResult verifyShard(Attribute value, Type type, function_ref<InFlightDiagnostic()> fail) {
  auto axes = dyn_cast<ArrayAttr>(value);
  auto tensor = dyn_cast<RankedTensorType>(type);
  auto isAxis = [](Attribute axis) {
    auto text = dyn_cast<StringAttr>(axis);
    return text && (text.empty() || toCIdentifier(text.getValue()) == text.getValue());
  };
  if (axes && tensor && int64_t(axes.size()) == tensor.getRank() && llvm::all_of(axes, isAxis))
    return success();
  return fail() << "'lathe.shard' must be a list with the name of an axis, or \"\", for each dimension of " << type << ", got "
                << value;
}

LogicalResult LatheDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() == kModelAttr) {
    auto function = dyn_cast<FunctionOpInterface>(op);
    return isa<StringAttr>(attribute.getValue()) && function && function.isExternal() && function.isPrivate()
               ? success()
               : op->emitError("'lathe.model' names the file of a private function without a body");
  }
  if (auto variable = dyn_cast<VariableOp>(op); variable && attribute.getName() == kShardAttr)
    return verifyShard(attribute.getValue(), variable.getType(), [&] { return op->emitError(); });
  bool isRule = attribute.getName() == kTangentAttr || attribute.getName() == kGradientAttr;
  return isRule ? verifyRule(op, attribute) : success();
}

/// Verifies an attribute that both arguments and results can have.
static LogicalResult verifyNaming(NamedAttribute attribute, function_ref<InFlightDiagnostic()> fail) {
  if (attribute.getName() == kNameAttr && !isa<StringAttr>(attribute.getValue()))
    return fail() << "'lathe.name' must be a string";
  if (attribute.getName() == kStateAttr && !isa<FlatSymbolRefAttr>(attribute.getValue()))
    return fail() << "'lathe.state' must name a variable";
  return success();
}

LogicalResult LatheDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument, NamedAttribute attribute) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return success();
  auto fail = [&]() { return op->emitError() << "argument " << argument << ": "; };
  if (attribute.getName() == kShardAttr)
    return verifyShard(attribute.getValue(), function.getArgument(argument).getType(), fail);
  if (attribute.getName() != kDimsAttr)
    return verifyNaming(attribute, fail);
  auto dims = dyn_cast<DimsAttr>(attribute.getValue());
  auto type = dyn_cast<RankedTensorType>(function.getArgument(argument).getType());
  if (!dims || !type)
    return fail() << "'lathe.dims' must be a #lathe.dims attribute of a tensor argument";
  if (size_t(type.getNumDynamicDims()) != dims.getDims().size())
    return fail() << "'lathe.dims' names " << dims.getDims().size() << " dimensions, but the type " << type << " has "
                  << type.getNumDynamicDims() << " dynamic ones";
  return success();
}

/// Verifies a list with one name for each dimension, of results that are numbers.
static LogicalResult verifyCounts(FunctionOpInterface function, unsigned result, Attribute value,
                                  function_ref<InFlightDiagnostic()> fail) {
  auto names = dyn_cast<ArrayAttr>(value);
  auto type = dyn_cast<RankedTensorType>(function.getResultTypes()[result]);
  if (!names || !type || int64_t(names.size()) != type.getRank())
    return fail() << "'lathe.counts' must be a list with a name, or \"\", for each dimension of "
                  << function.getResultTypes()[result];
  auto isSize = [&](unsigned other, Attribute name) {
    return function.getResultAttr(other, kNameAttr) == name &&
           function.getResultTypes()[other] == RankedTensorType::get({}, IntegerType::get(function.getContext(), 64));
  };
  for (Attribute name : names) {
    auto text = dyn_cast<StringAttr>(name);
    if (!text || (!text.empty() &&
                  llvm::none_of(llvm::seq(0u, function.getNumResults()), [&](unsigned other) { return isSize(other, name); })))
      return fail() << "'lathe.counts' has " << name << ", expected the name of a result of type tensor<i64>, or \"\"";
  }
  return success();
}

LogicalResult LatheDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned result, NamedAttribute attribute) {
  auto fail = [&] { return op->emitError() << "result " << result << ": "; };
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (function && attribute.getName() == kCountsAttr)
    return verifyCounts(function, result, attribute.getValue(), fail);
  if (function && attribute.getName() == kShardAttr)
    return verifyShard(attribute.getValue(), function.getResultTypes()[result], fail);
  return verifyNaming(attribute, fail);
}
