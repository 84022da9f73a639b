#include "dialects/Lathe/IR/SubstituteDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Support/SourcePlace.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;

void lathe::substituteDims(Operation *root, const std::map<std::string, Dim> &values) {
  auto substituted = [&](Dims dims) {
    for (Dim &dim : dims)
      dim = dim.substitute(values);
    return dims;
  };
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<std::pair<Type, WalkResult>> {
    if (!type.getEncoding())
      return std::make_pair(type, WalkResult::skip());
    return std::make_pair(tensorOf(substituted(dimsOf(type)), type.getElementType()), WalkResult::skip());
  });
  replacer.addReplacement([&](ShapeAttr shape) -> std::optional<std::pair<Attribute, WalkResult>> {
    return std::make_pair(shapeOf(shape.getContext(), substituted(dimsOf(shape))), WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(root, /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
}

SmallVector<std::string> lathe::sizeNames(func::FuncOp function) {
  SmallVector<std::string> all, names;
  for (TypeRange types : {function.getArgumentTypes(), function.getResultTypes()})
    for (Type type : types)
      for (const Dim &dim : dimsOf(cast<RankedTensorType>(type)))
        dim.collectNames(all);
  if (auto sizes = function->getAttrOfType<ArrayAttr>(kSizesAttr))
    for (auto name : sizes.getAsRange<StringAttr>())
      all.push_back(name.str());
  for (std::string &name : all)
    if (!llvm::is_contained(names, name))
      names.push_back(std::move(name));
  return names;
}

FailureOr<int64_t> lathe::readSize(ModuleOp module, StringRef text) {
  int64_t size = 0;
  if (!text.getAsInteger(10, size))
    return size;
  return module.emitError("sizes: '") << text << "' is not a number; expected NAME=SIZE";
}

/// Returns a location in the graph, since the module itself has none.
static Location placeIn(ModuleOp module) {
  auto functions = module.getOps<func::FuncOp>();
  return functions.empty() ? module.getLoc() : (*functions.begin()).getLoc();
}

LogicalResult lathe::checkDimension(ModuleOp module, StringRef option, StringRef name) {
  SmallVector<std::string> names;
  auto add = [&](std::string each) {
    if (!llvm::is_contained(names, each))
      names.push_back(std::move(each));
  };
  for (func::FuncOp function : module.getOps<func::FuncOp>())
    llvm::for_each(sizeNames(function), add);
  for (auto declared : module.getOps<DimOp>())
    add(declared.getSymName().str());
  module.walk([&](CollectiveOpInterface op) { llvm::for_each(namesIn(op.getAxisSize()), add); });
  if (!llvm::is_contained(names, name))
    return emitError(optionPlace(option, placeIn(module)))
           << "there is no dimension '" << name << "'" << (names.empty() ? "" : "; there are " + llvm::join(names, ", "));
  return success();
}

LogicalResult lathe::checkSize(ModuleOp module, StringRef option, StringRef name, int64_t size) {
  if (failed(checkDimension(module, option, name)))
    return failure();
  auto [low, high, multiple, declaration] = boundsOf(module, name);
  if (size < low || size > high || size % multiple)
    return emitError(optionPlace(option, declaration ? declaration.getLoc() : placeIn(module)))
           << "dimension '" << name << "' cannot be " << size << ": expected " << low << " to " << high
           << (multiple == 1 ? "" : ", a multiple of " + std::to_string(multiple));
  return success();
}
