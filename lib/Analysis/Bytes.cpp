#include "lib/Analysis/Bytes.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Analysis/Widening.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace lathe;

static bool isByte(Type element) { return isa<IntegerType>(element) && element.getIntOrFloatBitWidth() == 8; }

static bool hasOneElement(Value tensor) {
  return llvm::all_of(dimsOf(tensor), [](const Dim &dim) { return dim.isStatic(1); });
}

/// Returns the op that computes the elements of a nest without a reduction from one input's elements, or null.
static Operation *elementOpOf(NestOp nest) {
  if (nest.getReduction() != NestReduction::None)
    return nullptr;
  return nest.getBody().front().getTerminator()->getOperand(0).getDefiningOp();
}

/// Returns the number that an op or a nest without inputs has everywhere.
static std::optional<int64_t> numberOf(Operation *op) {
  if (auto constant = dyn_cast<ConstantOp>(op)) {
    auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
    return splat && isa<IntegerType>(splat.getElementType()) ? std::optional(splat.getSplatValue<APInt>().getSExtValue())
                                                             : std::nullopt;
  }
  auto nest = dyn_cast<NestOp>(op);
  auto constant = dyn_cast_or_null<arith::ConstantOp>(nest && nest.getInputs().empty() ? elementOpOf(nest) : nullptr);
  auto number = constant ? dyn_cast<IntegerAttr>(constant.getValue()) : IntegerAttr();
  return number ? std::optional(number.getInt()) : std::nullopt;
}

namespace {
/// The zero points that a tensor of i32 may consist of.
enum class Uniform { No, Any, Byte };
} // namespace

/// True if a nest only copies its input's elements, none of which is replaced by another value.
static bool copies(NestOp nest) {
  return nest.getInputs().size() == 1 && nest.getReduction() == NestReduction::None &&
         isa<BlockArgument>(nest.getBody().front().getTerminator()->getOperand(0));
}

/// Tells whether all elements of a tensor are equal, and whether they are known to be numbers of the type `byte`.
static Uniform uniformityOf(Value tensor, Type byte) {
  Uniform unknown = hasOneElement(tensor) ? Uniform::Any : Uniform::No;
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return unknown;
  if (std::optional<int64_t> number = numberOf(op)) {
    int64_t low = byte.isUnsignedInteger() ? 0 : -128;
    return *number >= low && *number <= low + 255 ? Uniform::Byte : Uniform::Any;
  }
  auto nest = dyn_cast<NestOp>(op);
  if (isa<BroadcastOp, ReshapeOp>(op) || (nest && copies(nest)))
    return std::max(unknown, uniformityOf(op->getOperand(0), byte));
  Value narrow = nest ? widenedTensor(tensor) : Value();
  if (auto convert = dyn_cast<ConvertOp>(op); convert && widens(convert))
    narrow = convert.getOperand();
  if (narrow && getElementTypeOrSelf(narrow.getType()) == byte && uniformityOf(narrow, byte) != Uniform::No)
    return Uniform::Byte;
  return unknown;
}

/// Returns the bytes that a tensor of i32 only widens, or null.
static Value widenedBytes(Value tensor) {
  if (!getElementTypeOrSelf(tensor.getType()).isSignlessInteger(32))
    return {};
  Value narrow = widenedTensor(tensor);
  if (auto convert = tensor.getDefiningOp<ConvertOp>(); convert && widens(convert))
    narrow = convert.getOperand();
  return narrow && isByte(getElementTypeOrSelf(narrow.getType())) ? narrow : Value();
}

std::optional<CentredBytes> lathe::centredBytes(Value tensor) {
  if (Value bytes = widenedBytes(tensor))
    return CentredBytes{bytes, {}, true};
  Operation *op = tensor.getDefiningOp();
  auto nest = dyn_cast_or_null<NestOp>(op);
  bool subtracts = isa_and_nonnull<SubOp>(op);
  if (nest && nest.getInputs().size() == 2) {
    auto difference = dyn_cast_or_null<arith::SubIOp>(elementOpOf(nest));
    subtracts = difference && difference.getLhs() == nest.getBody().getArgument(0) &&
                difference.getRhs() == nest.getBody().getArgument(1) &&
                cast<AccessAttr>(nest.getAccesses()[0]).getMap().getValue().isIdentity();
  }
  if (!subtracts)
    return std::nullopt;
  Value bytes = widenedBytes(op->getOperand(0)), zero = op->getOperand(1);
  Uniform uniform = bytes ? uniformityOf(zero, getElementTypeOrSelf(bytes.getType())) : Uniform::No;
  if (uniform == Uniform::No)
    return std::nullopt;
  return CentredBytes{bytes, zero, uniform == Uniform::Byte};
}

/// True if the operand is a static tensor of i8, widened.
static bool isStaticFactor(Value operand) {
  std::optional<CentredBytes> factor = centredBytes(operand);
  auto type = cast<RankedTensorType>(operand.getType());
  return factor && !factor->zero && !factor->isUnsigned() && type.hasStaticShape() && type.getNumElements() > 0;
}

static bool isProductOfBytes(DotGeneralOp op) {
  int64_t left = cast<RankedTensorType>(op.getLhs().getType()).getRank();
  auto right = cast<RankedTensorType>(op.getRhs().getType());
  int64_t batch = op.getRhsBatch().size(), rank = right.getRank();
  return rank == batch + 2 && op.getLhsContract() == ArrayRef(left - 1) && op.getRhsContract() == ArrayRef(batch) &&
         llvm::equal(op.getRhsBatch(), llvm::seq<int64_t>(batch)) && right.getDimSize(batch) <= kMostByteDepth;
}

static bool isConvolutionOfBytes(ConvOp op) {
  ConvolutionGeometry g = op.getGeometry();
  auto filter = cast<RankedTensorType>(op.getFilter().getType());
  std::optional<CentredBytes> images = centredBytes(op.getInput());
  auto isPositive = [](const Dim &dim) { return !dim.isStatic(0); };
  return g.groups == 1 && llvm::all_of(g.inputDilation, [](int64_t step) { return step == 1; }) && images->hasByteZero &&
         filter.getNumElements() / filter.getDimSize(filter.getRank() - 1) <= kMostByteDepth &&
         llvm::all_of(dimsOf(op.getInput()), isPositive) && llvm::all_of(dimsOf(op.getResult()), isPositive);
}

bool lathe::multipliesBytes(Operation *op) {
  bool isCandidate =
      isa<DotGeneralOp, ConvOp>(op) && !isOnDevice(op) && centredBytes(op->getOperand(0)) && isStaticFactor(op->getOperand(1));
  if (!isCandidate)
    return false;
  if (auto dot = dyn_cast<DotGeneralOp>(op))
    return isProductOfBytes(dot);
  return isConvolutionOfBytes(cast<ConvOp>(op));
}

bool lathe::isForByteProducts(Operation *op) {
  if (!isa<ConvertOp, SubOp>(op) || !centredBytes(op->getResult(0)))
    return false;
  if (hasOneElement(op->getResult(0)))
    return true;
  return llvm::any_of(op->getUsers(),
                      [](Operation *user) { return multipliesBytes(user) || (isa<SubOp>(user) && isForByteProducts(user)); });
}
