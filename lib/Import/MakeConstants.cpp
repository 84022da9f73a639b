#include "lib/Import/MakeConstants.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/ConstantAttr.h"
#include "lib/Support/SourcePlace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;

/// Turns an argument into a constant. Returns why that is impossible, or an empty string.
static std::string makeConstant(func::FuncOp function, BlockArgument argument, StringRef name, const ConstInputs &constants) {
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  std::optional<Element> element = type ? elementOf(type.getElementType()) : std::nullopt;
  if (!element || function.getArgAttr(argument.getArgNumber(), kStateAttr))
    return "it is not a numeric tensor";
  if (!type.hasStaticShape())
    return "its shape " + str(dimsOf(type)) + " has dynamic sizes";
  if (!SymbolTable::symbolKnownUseEmpty(function, function->getParentOp()))
    return "the graph calls @" + function.getSymName().str() + " with it";
  Tensor value;
  if (std::string reason = takeConstant(constants, {name.str(), name.str(), *element, dimsOf(type)}, value); !reason.empty())
    return reason;
  OpBuilder builder = OpBuilder::atBlockBegin(argument.getOwner());
  argument.replaceAllUsesWith(
      ConstantOp::create(builder, argument.getLoc(), type, constantAttr(std::move(value), type.getElementType(), name))
          .getResult());
  return failed(function.eraseArgument(argument.getArgNumber())) ? "the function needs it" : "";
}

LogicalResult lathe::makeConstants(ModuleOp module, ConstInputs &constants) {
  std::set<std::string> open = constants.names, all;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    SmallVector<BlockArgument> arguments(function.getArguments());
    for (BlockArgument argument : llvm::reverse(arguments)) { // reversed, so that earlier arguments keep their numbers
      auto attr = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), kNameAttr);
      std::string name = attr ? attr.str() : "";
      all.insert(name);
      if (!constants.names.count(name))
        continue;
      open.erase(name);
      constants.taken.insert(name);
      Location location = argument.getLoc();
      if (std::string reason = makeConstant(function, argument, name, constants); !reason.empty())
        return emitError(location) << "input '" << name << "' cannot become a constant: " << reason;
    }
  }
  for (const std::string &name : open)
    return emitError(optionPlace("--const-input", module.getLoc()))
           << "there is no input '" << name << "' to make a constant; there are " << llvm::join(all, ", ");
  return success();
}
