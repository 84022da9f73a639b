#include "dialects/Lathe/IR/Sizes.h"
#include "llvm/Support/MathExtras.h"

using namespace lathe;

std::optional<int64_t> lathe::evaluate(const Dim &dim, const Sizes &sizes) {
  if (dim.isUnknown())
    return std::nullopt;
  int64_t sum = 0;
  for (auto &[names, coefficient] : dim.getTerms()) {
    int64_t term = coefficient;
    for (const std::string &name : names) {
      auto it = sizes.find(name);
      if (it == sizes.end() || llvm::MulOverflow(term, it->second, term))
        return std::nullopt;
    }
    if (llvm::AddOverflow(sum, term, sum))
      return std::nullopt;
  }
  return sum;
}
