#include "lib/Import/Names.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;

/// Returns the text of a definition `%name`, without the sign.
static std::string textOf(llvm::SMRange range) {
  StringRef text(range.Start.getPointer(), range.End.getPointer() - range.Start.getPointer());
  text.consume_front("%");
  return text.str();
}

/// Returns the SSA name of a value, or "r_1" for the second result of `%r:2`. Returns an empty string if the source has no
/// name.
static std::string sourceName(Value value, const AsmParserState &places) {
  if (auto cast = value.getDefiningOp<UnrealizedConversionCastOp>()) // around a call: OpenCalls.h
    value = cast.getOperand(0);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto *block = places.getBlockDef(argument.getOwner());
    unsigned written = block ? block->arguments.size() : 0, first = argument.getOwner()->getNumArguments() - written;
    if (!block || argument.getArgNumber() < first) // a region's captured values come first and have their own names
      return "";
    return textOf(block->arguments[argument.getArgNumber() - first].loc);
  }
  auto *op = places.getOpDef(value.getDefiningOp());
  unsigned index = cast<OpResult>(value).getResultNumber(), count = value.getDefiningOp()->getNumResults();
  if (!op)
    return "";
  for (auto [i, group] : llvm::enumerate(op->resultGroups)) {
    unsigned end = i + 1 < op->resultGroups.size() ? op->resultGroups[i + 1].startIndex : count;
    if (index < group.startIndex || index >= end)
      continue;
    std::string name = textOf(group.definition.loc);
    return end - group.startIndex == 1 ? name : name + "_" + std::to_string(index - group.startIndex);
  }
  return "";
}

static StringAttr nameOf(Value value, StringRef prefix, unsigned index, const AsmParserState *places) {
  std::string name = places ? sourceName(value, *places) : "";
  if (name.empty())
    name = prefix.str() + std::to_string(index);
  else if (llvm::isDigit(name[0]))
    name = prefix.str() + name;
  return StringAttr::get(value.getContext(), name);
}

/// Names the arguments and results. A result that is also an argument or an earlier result is named by its number.
static void nameFunction(func::FuncOp function, const AsmParserState *places) {
  for (BlockArgument argument : function.getArguments())
    if (!function.getArgAttr(argument.getArgNumber(), kNameAttr))
      function.setArgAttr(argument.getArgNumber(), kNameAttr, nameOf(argument, "arg", argument.getArgNumber(), places));
  auto returned = dyn_cast<func::ReturnOp>(function.getBody().back().getTerminator());
  if (!returned)
    return;
  llvm::DenseSet<Value> named(function.getArguments().begin(), function.getArguments().end()); // values whose names are taken
  for (auto [i, value] : llvm::enumerate(returned.getOperands())) {
    bool isNew = named.insert(value).second;
    if (!function.getResultAttr(i, kNameAttr))
      function.setResultAttr(i, kNameAttr, nameOf(value, "out", i, isNew ? places : nullptr));
  }
}

void lathe::nameLocations(ModuleOp module, const AsmParserState &places) {
  auto named = [](const std::string &name, Location location) -> Location {
    return name.empty() ? location : NameLoc::get(StringAttr::get(location.getContext(), name), location);
  };
  module.walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        argument.setLoc(named(sourceName(argument, places), argument.getLoc()));
    auto names = llvm::map_to_vector(op->getResults(), [&](Value result) { return sourceName(result, places); });
    if (!names.empty())
      op->setLoc(named(llvm::join(names, ","), NameLoc::get(op->getName().getIdentifier(), op->getLoc())));
  });
}

std::string lathe::locationName(Value value) {
  auto location = dyn_cast<NameLoc>(value.getLoc());
  if (!location)
    return "";
  StringRef name = location.getName().getValue();
  auto result = dyn_cast<OpResult>(value);
  if (!result || !name.contains(','))
    return name.str();
  SmallVector<StringRef> names;
  name.split(names, ',');
  return result.getResultNumber() < names.size() ? names[result.getResultNumber()].str() : "";
}

bool lathe::isOfLocation(Operation *op) {
  auto names = dyn_cast<NameLoc>(op->getLoc());
  auto made = names ? dyn_cast<NameLoc>(names.getChildLoc()) : NameLoc();
  return made && (made.getName() == op->getName().getIdentifier() || made.getName() == StdOp::getOperationName());
}

void lathe::writeNames(ModuleOp module, const AsmParserState *places) {
  for (auto function : module.getOps<func::FuncOp>())
    if (function.isPublic() && !function.isExternal())
      nameFunction(function, places);
}
