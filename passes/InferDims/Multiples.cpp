#include "passes/InferDims/Multiples.h"
#include "dialects/Lathe/IR/DerivedDims.h"

using namespace mlir;
using namespace lathe;

void lathe::checkIfMultiple(ReshapeOp reshape, ArrayRef<std::string> replaced) {
  std::optional<Dim> before = numElements(dimsOf(reshape.getOperand())), after = numElements(dimsOf(reshape.getShape()));
  if (reshape.getChecked() || !before || !after || before->isUnknown() || after->isUnknown() || *before == *after)
    return;
  std::map<std::string, Dim> values;
  for (const std::string &each : replaced) {
    auto [name, text] = StringRef(each).split('=');
    if (std::optional<Dim> dim = dimFromUser(text))
      values[name.str()] = *dim;
  }
  for (const std::string &name : namesIn(*before + *after))
    if (int64_t multiple = boundsOf(reshape->getParentOfType<ModuleOp>(), name).multipleOf; multiple > 1)
      values.try_emplace(name, Dim::named(name) * Dim(multiple));
  if (before->substitute(values) == after->substitute(values))
    reshape.setChecked(true);
}
