#include "lib/Import/Constants/ConstInputs.h"
#include "lib/Support/Text.h"

using namespace mlir;
using namespace lathe;

std::string lathe::mismatch(StringRef what, const Tensor &value, Element element, ArrayRef<Dim> dims) {
  std::string has = what.str() + " has ";
  if (value.getElement() != element)
    return has + "elements of " + nameOf(value.getElement()).str() + ", expected " + nameOf(element).str();
  bool fits = value.getShape().size() == dims.size();
  for (size_t d = 0; fits && d < dims.size(); ++d)
    fits = mayEqual(dims[d], Dim(value.getShape()[d])) || !dims[d].isStatic();
  return fits ? "" : has + "shape " + listText(value.getShape()) + ", expected " + str(dims);
}

std::string lathe::takeConstant(const ConstInputs &constants, const ConstInputs::Input &input, Tensor &value) {
  if (std::string reason = constants.valueOf(input, value); !reason.empty())
    return reason;
  if (value.getElement() == Element::F32 && input.element == Element::BF16)
    value = convert(value, Element::BF16);
  return mismatch("its value", value, input.element, input.dims);
}
