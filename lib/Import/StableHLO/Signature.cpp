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

void hloimport::explainImport(Operation &op, const Frame &frame) {
  for (Value result : op.getResults())
    if (Operation *made = frame.find(result) ? frame.find(result).getDefiningOp() : nullptr)
      explain(op.getLoc(), "import", "{} becomes {}", op.getName().getStringRef().str(), made->getName().getStringRef().str());
}
