#include "passes/Widen/Widen.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

static Attribute widened(FloatAttr attr) {
  return FloatAttr::get(Float64Type::get(attr.getContext()), double(attr.getValue().convertToFloat()));
}

static Attribute widened(DenseElementsAttr attr) {
  Type wide = Float64Type::get(attr.getContext());
  auto values = cast<DenseFPElementsAttr>(attr).mapValues(
      wide, [](const APFloat &value) { return APFloat(double(value.convertToFloat())).bitcastToAPInt(); });
  return values;
}

/// Null where the blob does not hold what the type says, which later stages report.
static Attribute widened(DenseResourceElementsAttr attr) {
  AsmResourceBlob *blob = attr.getRawHandle().getBlob();
  if (!blob || blob->getData().size() != attr.getType().getNumElements() * sizeof(float))
    return {};
  ArrayRef<float> values(reinterpret_cast<const float *>(blob->getData().data()), attr.getType().getNumElements());
  return DenseElementsAttr::get(attr.getType().clone(Float64Type::get(attr.getContext())),
                                ArrayRef<double>(std::vector<double>(values.begin(), values.end())));
}

namespace {
struct Widen : PassWrapper<Widen, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Widen)
  StringRef getArgument() const final { return "lathe-widen"; }
  StringRef getDescription() const final {
    return "Makes every float an f64, constants with the values that they have. Requires nothing; guarantees that no other "
           "float is left.";
  }

  void runOnOperation() final {
    AttrTypeReplacer replacer;
    replacer.addReplacement([](FloatType type) -> Type { return Float64Type::get(type.getContext()); });
    replacer.addReplacement([](FloatAttr attr) -> std::optional<Attribute> {
      return !attr.getType().isF64() ? std::optional(widened(attr)) : std::nullopt;
    });
    auto elements = [](auto attr) -> std::optional<std::pair<Attribute, WalkResult>> {
      if (!isa<FloatType>(attr.getElementType()) || attr.getElementType().isF64())
        return std::nullopt;
      Attribute wide = widened(attr);
      return std::make_pair(wide ? wide : attr, WalkResult::skip());
    };
    replacer.addReplacement([&](DenseElementsAttr attr) { return elements(attr); });
    replacer.addReplacement([&](DenseResourceElementsAttr attr) { return elements(attr); });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
  }
};
} // namespace

std::unique_ptr<Pass> lathe::createWidenPass() { return std::make_unique<Widen>(); }
void lathe::registerWidenPasses() { PassRegistration<Widen>(); }
