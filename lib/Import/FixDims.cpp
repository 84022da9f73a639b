// --dim: named dimensions become numbers once all of them are named.
#include "dialects/Lathe/IR/SubstituteDims.h"
#include "lib/Import/Import.h"
#include "lib/Import/ONNX/ImportOnnx.h"

using namespace mlir;
using namespace lathe;

namespace {
struct FixDims : PassWrapper<FixDims, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FixDims)
  explicit FixDims(std::map<std::string, int64_t> sizes = {}) : sizes(std::move(sizes)) {}
  FixDims(const FixDims &other) : PassWrapper(other), sizes(other.sizes) {}
  StringRef getArgument() const final { return "lathe-fix-dims"; }
  StringRef getDescription() const final {
    return "Makes numbers of named dimensions. Requires inferred dimensions; refuses names that there are not, and sizes "
           "that lathe.dim does not allow.";
  }

  void runOnOperation() final {
    for (const std::string &text : sizeOptions) {
      auto [name, value] = StringRef(text).split('=');
      FailureOr<int64_t> size = readSize(getOperation(), value);
      if (failed(size))
        return signalPassFailure();
      sizes[name.str()] = *size;
    }
    if (auto fixed = getOperation()->getAttrOfType<DictionaryAttr>(kFixedAttr)) { // while the graph was read
      for (NamedAttribute each : fixed)
        if (auto size = sizes.find(each.getName().str());
            size != sizes.end() && size->second == cast<IntegerAttr>(each.getValue()).getInt())
          sizes.erase(size);
      getOperation()->removeAttr(kFixedAttr);
    }
    std::map<std::string, Dim> values;
    for (auto &[name, size] : sizes) {
      if (failed(checkSize(getOperation(), "--dim", name, size)))
        return signalPassFailure();
      values[name] = Dim(size);
      ++fixed;
    }
    if (!values.empty())
      substituteDims(getOperation(), values);
  }

private:
  std::map<std::string, int64_t> sizes;
  ListOption<std::string> sizeOptions{*this, "sizes", llvm::cl::desc("DIM=SIZE")};
  Statistic fixed{this, "fixed", "dimensions that became numbers"};
};
} // namespace

std::unique_ptr<Pass> lathe::createFixDimsPass(std::map<std::string, int64_t> sizes) {
  return std::make_unique<FixDims>(std::move(sizes));
}
