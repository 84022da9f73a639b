// A model of QuantizeLinear and DequantizeLinear pairs (QDQ) means quantised operators: each operator between them stands for
// one on the integers. Products are recognised by the ops that DequantizeLinear becomes, (i32(x) - zero) * scale. Sums of
// integers are exact, where sums of dequantised numbers would be rounded.
#include "lib/Import/ONNX/Operators/Dequantized.h"
#include "dialects/Lathe/Interpreter/Tensor.h"
#include "lib/Analysis/Bytes.h"
#include "lib/Import/ONNX/Operators/Quantization.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

static bool isByte(Type element) { return isa<IntegerType>(element) && element.getIntOrFloatBitWidth() == 8; }

static bool isOne(Value value) {
  return llvm::all_of(dimsOfValue(value), [](const Dim &dim) { return dim == Dim(1); });
}

/// Returns the integers of a product of integers, as f32, and a scale.
static std::optional<Dequantized> scaledIntegers(Value real) {
  auto product = real ? real.getDefiningOp<MulOp>() : MulOp();
  auto converted = product ? product.getLhs().getDefiningOp<ConvertOp>() : ConvertOp();
  if (!converted || !converted.getTo().isF32() || !elementOfValue(product.getRhs()).isF32() ||
      !elementOfValue(converted.getOperand()).isSignlessInteger(32))
    return std::nullopt;
  return Dequantized{converted.getOperand(), product.getRhs()};
}

/// Returns the bytes that a tensor of i32 holds minus a zero point, which `zero` receives if there is one; null for other
/// tensors.
static Value bytesOf(Value centred, Value &zero) {
  if (auto difference = centred.getDefiningOp<SubOp>()) {
    centred = difference.getLhs();
    zero = difference.getRhs();
  }
  auto wide = centred.getDefiningOp<ConvertOp>();
  return wide && isByte(elementOfValue(wide.getOperand())) ? wide.getOperand() : Value();
}

std::optional<Dequantized> onnximport::dequantizedBytes(Value real) {
  std::optional<Dequantized> found = scaledIntegers(real);
  Value zero;
  return found && bytesOf(found->centred, zero) ? found : std::nullopt;
}

/// Returns the value of a constant, also behind conversions and views of it.
static std::optional<Tensor> constantBehind(Value value) {
  while (value && isa_and_nonnull<ConvertOp, ReshapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  auto constant = value ? value.getDefiningOp<ConstantOp>() : ConstantOp();
  return constant ? Tensor::fromAttr(constant.getValue()) : std::nullopt;
}

bool onnximport::isEverywhere(Value value, double number) {
  std::optional<Tensor> constant = constantBehind(value);
  if (!constant)
    return false;
  for (int64_t i = 0; i < constant->size(); ++i)
    if (constant->at(i) != number)
      return false;
  return true;
}

Value onnximport::dequantizedSelection(Node &node, Value real, function_ref<Value(Value)> select) {
  std::optional<Dequantized> found = dequantizedBytes(real);
  std::optional<Tensor> scale = found ? constantBehind(found->scale) : std::nullopt;
  Value zero, bytes = found ? bytesOf(found->centred, zero) : Value();
  if (!scale || scale->size() != 1 || !(scale->at(0) > 0) || (zero && !isOne(zero)))
    return select(real);
  Value picked = centred(node, select(bytes), zero, i32(node));
  return node.emit<MulOp>({node.convert(picked, elementOfValue(real)), node.reshape(found->scale, Dims())});
}

/// True for constant bytes that are i8 after their zero point is subtracted, or with `anyZero` have a constant zero point.
static bool areFactors(Value centred, bool anyZero) {
  Value zero, bytes = bytesOf(centred, zero);
  if (!bytes || !bytes.getDefiningOp<ConstantOp>())
    return false;
  if (anyZero && zero)
    return constantBehind(zero).has_value();
  if (elementOfValue(bytes).isUnsignedInteger())
    return zero && isEverywhere(zero, 128);
  return !zero || isEverywhere(zero, 0);
}

std::optional<DequantizedPair> onnximport::dequantizedPair(Value left, Value right, const Dim &depth, bool anyZero) {
  std::optional<Dequantized> x = dequantizedBytes(left), w = dequantizedBytes(right);
  if (!x || !w || !isOne(x->scale) || !areFactors(w->centred, anyZero) || !depth.isStatic() ||
      depth.constant() > kMostByteDepth)
    return std::nullopt;
  return DequantizedPair{*x, *w};
}

/// True if a bias's scale is the product of the operands' scales, as quantisers make it, but for rounding.
static bool isScaleOfSums(Value bias, Value left, Value right) {
  constexpr double kRounding = 1e-6;
  std::optional<Tensor> of = constantBehind(bias), x = constantBehind(left), w = constantBehind(right);
  if (!of || !x || !w || x->size() != 1)
    return false;
  for (int64_t i = 0, n = std::max(of->size(), w->size()); i < n; ++i) {
    double expected = x->at(0) * w->at(i % w->size()), found = of->at(i % of->size());
    if (!(std::abs(found - expected) <= kRounding * expected))
      return false;
  }
  return of->size() == 1 || w->size() == 1 || of->size() == w->size();
}

Value onnximport::dequantizedSums(Node &node, Value sums, Value left, Value scale, int bias) {
  if (node.failed())
    return {};
  Value each = node.has(bias) ? node.input(bias) : Value(), both = node.emit<MulOp>({node.reshape(left, Dims()), scale});
  std::optional<Dequantized> integers = scaledIntegers(each);
  if (integers && isScaleOfSums(integers->scale, left, scale)) {
    sums = node.emit<AddOp>({sums, node.fitted(integers->centred, dimsOfValue(sums))});
    each = Value();
  }
  Value real = node.emit<MulOp>({node.convert(sums, Float32Type::get(node.i64().getContext())), both});
  return each ? node.emit<AddOp>({real, node.fitted(each, dimsOfValue(real))}) : real;
}

/// Returns integers times their scale over `scale`, given their product with the scale, or a sum of two of these. Returns null
/// for other tensors.
static Value rescaled(Node &node, Value real, Value scale) {
  if (std::optional<Dequantized> integers = scaledIntegers(real)) {
    Value factor = node.emit<DivOp>({integers->scale, node.reshape(scale, Dims())});
    return node.emit<MulOp>({node.convert(integers->centred, elementOfValue(scale)), factor});
  }
  auto sum = real ? real.getDefiningOp<AddOp>() : AddOp();
  if (!sum || !scaledIntegers(sum.getLhs()) || !scaledIntegers(sum.getRhs()))
    return {};
  return node.emit<AddOp>({rescaled(node, sum.getLhs(), scale), rescaled(node, sum.getRhs(), scale)});
}

Value onnximport::requantized(Node &node, Value real, Value scale, Value zero, Type element) {
  SmallVector<Operation *> between; // from the last op to the first
  while (Operation *op = real ? real.getDefiningOp() : nullptr) {
    auto composite = dyn_cast<StdOp>(op);
    if (!isa<TransposeOp>(op) && !(composite && composite.getComposite() == "relu"))
      break;
    between.push_back(op);
    real = op->getOperand(0);
  }
  bool isOneScale = !node.failed() && elementOfValue(scale).isF32() && isOne(scale);
  Value scaled = isOneScale ? rescaled(node, real, scale) : Value();
  if (!scaled)
    return {};
  for (Operation *op : llvm::reverse(between)) {
    if (auto transpose = dyn_cast<TransposeOp>(op))
      scaled = node.transpose(scaled, transpose.getPermutation());
    else
      scaled = node.composite("relu", scaled);
  }
  return saturate(node, scaled, zero, element);
}
