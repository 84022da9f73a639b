#include "passes/Widen/Widen.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Pass/Pass.h"

namespace lathe {
#define GEN_PASS_DEF_WIDENPASS
#include "passes/Widen/Widen.h.inc"
} // namespace lathe

using namespace mlir;
using namespace lathe;

static Attribute widened(FloatAttr attr) {
  return FloatAttr::get(Float64Type::get(attr.getContext()), double(attr.getValue().convertToFloat()));
}

static Attribute widened(DenseElementsAttr attr) {
  Type wide = Float64Type::get(attr.getContext());
  auto values = cast<DenseFPElementsAttr>(attr).mapValues(
      wide, [](const APFloat &value) { return APFloat(double(value.convertToFloat())).bitcastToAPInt(); });
  return values;
}

/// Returns the widened constant; null if the blob does not match the type, which later stages report.
static Attribute widened(DenseResourceElementsAttr attr) {
  AsmResourceBlob *blob = attr.getRawHandle().getBlob();
  if (!blob || blob->getData().size() != attr.getType().getNumElements() * sizeof(float))
    return {};
  std::vector<float> values(attr.getType().getNumElements());
  llvm::copy(blob->getData(), reinterpret_cast<char *>(values.data())); // a blob may have any address
  return DenseElementsAttr::get(attr.getType().clone(Float64Type::get(attr.getContext())),
                                ArrayRef<double>(std::vector<double>(values.begin(), values.end())));
}

namespace {
/// A bitcast keeps its original width: widened floats are narrowed again for it.
struct WrittenBitcast {
  BitcastOp op;
  Type from, to;

  void restore() {
    OpBuilder builder(op);
    Type wide = getElementTypeOrSelf(op.getType());
    if (getElementTypeOrSelf(op.getOperand().getType()) != from)
      op.getOperandMutable().set(ConvertOp::create(builder, op.getLoc(), op.getOperand(), from));
    if (wide == to)
      return;
    Value narrow = BitcastOp::create(builder, op.getLoc(), op.getOperand(), to);
    op.replaceAllUsesWith(ConvertOp::create(builder, op.getLoc(), narrow, wide).getResult());
    op.erase();
  }
};

/// An external function computes with its original types.
struct WrittenExtern {
  ExternOp op;
  SmallVector<Type> operands, results;
  ArrayAttr declared;

  void restore() {
    OpBuilder builder(op);
    auto convert = [&](Value value, Type type) -> Value {
      Type element = getElementTypeOrSelf(type);
      return getElementTypeOrSelf(value.getType()) == element ? value : ConvertOp::create(builder, op.getLoc(), value, element);
    };
    for (auto [operand, type] : llvm::zip_equal(op->getOpOperands(), operands))
      operand.set(convert(operand.get(), type));
    op.setTypesAttr(declared);
    builder.setInsertionPointAfter(op);
    for (auto [result, type] : llvm::zip_equal(op.getResults(), results)) {
      Type wide = result.getType();
      result.setType(type);
      Value again = convert(result, wide);
      result.replaceUsesWithIf(again, [&](OpOperand &use) { return use.getOwner() != again.getDefiningOp(); });
    }
  }
};

struct Widen : lathe::impl::WidenPassBase<Widen> {
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
    SmallVector<WrittenBitcast> bitcasts;
    SmallVector<WrittenExtern> externs;
    getOperation()->walk([&](ExternOp op) {
      externs.push_back({op, SmallVector<Type>(op->getOperandTypes()), SmallVector<Type>(op->getResultTypes()), op.getTypes()});
    });
    getOperation()->walk([&](BitcastOp op) {
      bitcasts.push_back({op, getElementTypeOrSelf(op.getOperand().getType()), getElementTypeOrSelf(op.getType())});
    });
    getOperation()->walk([&](Operation *op) {
      results += llvm::count_if(op->getResultTypes(), [](Type type) {
        Type element = getElementTypeOrSelf(type);
        return isa<FloatType>(element) && !element.isF64();
      });
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true, /*replaceLocs=*/false, /*replaceTypes=*/true);
    for (WrittenBitcast &bitcast : bitcasts)
      bitcast.restore();
    for (WrittenExtern &function : externs)
      function.restore();
  }
};
} // namespace
