#include "lib/Import/StableHLO/Signature.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lib/Import/Emit/FieldNames.h"
#include "lib/Support/Explain.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::hloimport;

/// Returns a path such as `params['w'][0]` as words with `_` between them: params_w_0.
static std::string fieldOf(StringRef path) {
  std::string name;
  bool isGap = false;
  for (char letter : path) {
    if (!llvm::isAlnum(letter) && letter != '_') {
      isGap = true;
      continue;
    }
    if (std::exchange(isGap, false) && !name.empty())
      name += '_';
    name += letter;
  }
  return name;
}

/// Returns the name that an argument's location has, as JAX prints it with debug information.
static StringRef locationName(Location location) {
  auto named = dyn_cast<NameLoc>(location);
  return named ? named.getName().getValue() : "";
}

void hloimport::nameFields(func::FuncOp function, func::FuncOp entry, const ImportOptions &options) {
  FieldNames fields(options.externWeights);
  auto given = [](DictionaryAttr attributes, StringRef jaxName) -> StringRef {
    for (StringRef name : {StringRef(kNameAttr), jaxName})
      if (auto text = attributes ? attributes.getAs<StringAttr>(name) : StringAttr())
        return text.getValue();
    return "";
  };
  auto set = [&](StringRef path, StringRef prefix, unsigned index, StringRef suffix) {
    std::string name = fieldOf(path);
    if (name.empty())
      name = (prefix + Twine(index)).str();
    return StringAttr::get(entry.getContext(), fields.take(name, suffix, prefix));
  };
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    StringRef path = given(function.getArgAttrDict(i), "jax.arg_info");
    if (path.empty())
      path = locationName(function.getArgument(i).getLoc());
    entry.setArgAttr(i, kNameAttr, set(path, "arg", i, "_"));
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    entry.setResultAttr(i, kNameAttr, set(given(function.getResultAttrDict(i), "jax.result_info"), "result", i, "_out"));
}

/// Returns the name that the program gives a dimension of an argument: the attribute of the function to which it passes the
/// size.
static StringRef nameOfSize(Program &program, BlockArgument argument, int64_t dim) {
  for (Operation *user : argument.getUsers()) {
    if (user->getName().getStringRef() != "stablehlo.get_dimension_size" ||
        user->getAttrOfType<IntegerAttr>("dimension").getInt() != dim)
      continue;
    for (OpOperand &use : user->getResult(0).getUses()) {
      auto call = dyn_cast<func::CallOp>(use.getOwner());
      auto callee = call ? program.symbols.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
      if (auto name =
              callee ? callee.getArgAttrOfType<StringAttr>(use.getOperandNumber(), "jax.global_constant") : StringAttr())
        return name.getValue();
    }
  }
  return "";
}

void hloimport::nameDims(Program &program, func::FuncOp function, func::FuncOp entry) {
  program.dimSources.clear();
  for (auto [i, argument] : llvm::enumerate(entry.getArguments())) {
    auto type = cast<RankedTensorType>(argument.getType());
    Dims dims = asDims(type.getShape());
    for (int64_t dim = 0; dim < type.getRank(); ++dim) {
      if (!type.isDynamicDim(dim))
        continue;
      std::string name = nameOfSize(program, function.getArgument(i), dim).str();
      if (name.empty())
        name = "arg" + std::to_string(i) + "_dim" + std::to_string(dim);
      auto equal = program.equalSizes.find(name);
      dims[dim] = equal == program.equalSizes.end() ? Dim::named(name) : equal->second;
      if (equal == program.equalSizes.end())
        program.dimSources.try_emplace(name, argument, dim);
    }
    argument.setType(tensorOf(dims, type.getElementType()));
    if (auto names = dyn_cast_or_null<DimsAttr>(cast<RankedTensorType>(argument.getType()).getEncoding()))
      entry.setArgAttr(i, kDimsAttr, names);
  }
}

void hloimport::explainImport(Operation &op, const Frame &frame) {
  for (Value result : op.getResults())
    if (Operation *made = frame.find(result) ? frame.find(result).getDefiningOp() : nullptr)
      explain(op.getLoc(), "import", "{} becomes {}", op.getName().getStringRef().str(), made->getName().getStringRef().str());
}
