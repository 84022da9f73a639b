#include "dialects/Lathe/IR/Sizes.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "llvm/Support/MathExtras.h"

using namespace lathe;

static std::optional<int64_t> sizeOfName(const std::string &name, const Sizes &sizes) {
  if (auto it = sizes.find(name); it != sizes.end())
    return it->second;
  std::optional<DerivedDim> derived = derivedDim(name);
  if (!derived)
    return std::nullopt;
  llvm::SmallVector<int64_t, 2> operands;
  for (const Dim &operand : derived->operands)
    if (std::optional<int64_t> size = evaluate(operand, sizes))
      operands.push_back(*size);
    else
      return std::nullopt;
  return derived->of(operands);
}

std::optional<int64_t> lathe::evaluate(const Dim &dim, const Sizes &sizes) {
  if (dim.isUnknown())
    return std::nullopt;
  int64_t sum = 0;
  for (auto &[names, coefficient] : dim.getTerms()) {
    int64_t term = coefficient;
    for (const std::string &name : names) {
      std::optional<int64_t> size = sizeOfName(name, sizes);
      if (!size || llvm::MulOverflow(term, *size, term))
        return std::nullopt;
    }
    if (llvm::AddOverflow(sum, term, sum))
      return std::nullopt;
  }
  return sum;
}
