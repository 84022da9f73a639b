// --dim: replaces named dimensions by numbers, or by expressions of others, once all of them are named.
#include "passes/FixDims/FixDims.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/SubstituteDims.h"
#include "lib/Support/SourcePlace.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

namespace lathe {
#define GEN_PASS_DEF_FIXDIMSPASS
#include "passes/FixDims/FixDims.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

namespace {
struct FixDims : lathe::impl::FixDimsPassBase<FixDims> {
  using FixDimsPassBase::FixDimsPassBase;
  FixDims(std::map<std::string, int64_t> sizes, std::map<std::string, std::string> formulas)
      : sizes(std::move(sizes)), formulas(std::move(formulas)) {}

  void runOnOperation() final {
    for (const std::string &text : sizeOptions) {
      auto [name, value] = StringRef(text).split('=');
      if (std::optional<Dim> dim = dimFromUser(value); dim && !dim->isStatic()) {
        formulas[name.str()] = dim->str();
        continue;
      }
      FailureOr<int64_t> size = readSize(getOperation(), value);
      if (failed(size))
        return signalPassFailure();
      sizes[name.str()] = *size;
    }
    if (auto fixed = getOperation()->getAttrOfType<DictionaryAttr>(kFixedAttr)) { // by the importer
      for (NamedAttribute each : fixed)
        if (isa<StringAttr>(each.getValue()))
          formulas.erase(each.getName().str());
        else if (auto size = sizes.find(each.getName().str());
                 size != sizes.end() && size->second == cast<IntegerAttr>(each.getValue()).getInt())
          sizes.erase(size);
      getOperation()->removeAttr(kFixedAttr);
    }
    if (failed(substituteFormulas()))
      return signalPassFailure();
    std::map<std::string, Dim> values;
    for (auto &[name, size] : sizes) {
      if (failed(checkSize(getOperation(), "--dim", name, size)))
        return signalPassFailure();
      values[name] = Dim(size);
      ++fixed;
    }
    if (failed(checkArguments(values)))
      return signalPassFailure();
    if (!values.empty())
      substituteDims(getOperation(), values);
  }

private:
  /// Refuses numbers that make the extent of an argument negative.
  LogicalResult checkArguments(const std::map<std::string, Dim> &values) {
    bool good = true;
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (BlockArgument argument : function.isExternal() ? Block::BlockArgListType() : function.getArguments())
        if (auto tensor = dyn_cast<RankedTensorType>(argument.getType()))
          for (const Dim &dim : dimsOf(tensor))
            if (Dim extent = dim.substitute(values); !dim.isStatic() && extent.isStatic() && extent.constant() < 0) {
              emitError(argument.getLoc()) << "an extent of this argument, " << dim.str() << ", is " << extent.constant()
                                           << " with the sizes of --dim; expected at least 0";
              good = false;
            }
    return success(good);
  }

  LogicalResult substituteFormulas() {
    std::map<std::string, Dim> values;
    for (auto &[name, formula] : formulas) {
      Dim dim = values[name] = dimFromText(formula);
      if (failed(checkDimension(getOperation(), "--dim", name)) || failed(declareFactor(name, dim)))
        return failure();
      ++fixed;
    }
    if (!values.empty())
      substituteDims(getOperation(), values);
    return success();
  }

  /// Transfers the bounds that lathe.dim declares for a dimension to its factor.
  LogicalResult declareFactor(StringRef name, const Dim &dim) {
    DimBounds bounds = boundsOf(getOperation(), name);
    if (!bounds.declaration)
      return success();
    SmallVector<std::string> names = namesIn(dim);
    auto &[factors, multiple] = *dim.getTerms().begin();
    if (dim.getTerms().size() != 1 || factors.size() != 1 || names.size() != 1 || factors.front() != names.front() ||
        multiple < 1 || (names.front() != name && boundsOf(getOperation(), names.front()).declaration))
      return emitError(optionPlace("--dim", bounds.declaration.getLoc()))
             << "dimension '" << name << "' has bounds here, so it cannot be " << dim.str()
             << "; expected a multiple of a dimension without bounds, such as 32*h";
    bounds.declaration.setSymName(names.front());
    bounds.declaration.setMinimum(llvm::divideCeil(bounds.minimum, multiple));
    bounds.declaration.setMaximum(bounds.maximum / multiple);
    bounds.declaration.setMultipleOf(bounds.multipleOf / std::gcd(bounds.multipleOf, multiple));
    return success();
  }

  std::map<std::string, int64_t> sizes;
  std::map<std::string, std::string> formulas;
};
} // namespace

std::unique_ptr<Pass> lathe::createFixDimsPass(std::map<std::string, int64_t> sizes,
                                               std::map<std::string, std::string> formulas) {
  return std::make_unique<FixDims>(std::move(sizes), std::move(formulas));
}
