// Inference, folds and text of the collectives.
#include "dialects/Lathe/IR/CheckDim.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/Syntax.h"
#include "lib/Support/Text.h"

using namespace mlir;
using namespace lathe;

/// Checks the axis, which every op of the family has.
static LogicalResult checkAxis(std::optional<Location> location, StringRef op, StringRef axis, ShapeAttr size) {
  if (axis.empty() || toCIdentifier(axis) != axis)
    return emitOptionalError(location, op, ": '", axis, "' is not a valid name for an axis; expected a C identifier");
  if (size.getDims().size() != 1)
    return emitOptionalError(location, op, ": expected one size of axis '", axis, "', got ", size.getDims().size());
  Dim ranks = dimsOf(size).front();
  if (ranks.isStatic() && ranks.constant() < 1)
    return emitOptionalError(location, op, ": axis '", axis, "' has ", ranks.constant(), " ranks; expected at least 1");
  return success();
}

static LogicalResult checkMean(std::optional<Location> location, StringRef op, CollectiveKind kind, Type operand) {
  if (kind != CollectiveKind::Mean || isFloatTensor(operand))
    return success();
  return emitOptionalError(location, op, ": a mean of ", operand, " is not exact; expected floats, or use sum");
}

/// Divides an extent by the axis' size. Emits an error unless the division is exact for all sizes.
static FailureOr<Dim> partOf(std::optional<Location> location, StringRef op, int64_t dim, const Dim &extent, StringRef axis,
                             const Dim &ranks) {
  if (extent.isUnknown() || ranks.isUnknown())
    return Dim::unknown();
  if (ranks.isStatic()) {
    if (std::optional<Dim> part = extent.dividedBy(ranks.constant()))
      return *part;
  } else if (auto [part, rest] = extent.dividedBy(ranks); rest == Dim(0)) {
    return part;
  }
  return emitOptionalError(location, op, ": dimension ", dim, " is ", extent.str(), ", which is not a multiple of ",
                           ranks.str(), ", the size of axis '", axis,
                           "'; pad the operand, or give the axis a size that divides it");
}

static FailureOr<Dim> wholeOf(std::optional<Location> location, StringRef op, int64_t dim, const Dim &extent,
                              const Dim &ranks) {
  Dim whole = extent * ranks;
  if (hasOverflowed(whole, {extent, ranks}))
    return emitOptionalError(location, op, ": dimension ", dim, " overflows 63 bits: ", extent.str(), " times ", ranks.str());
  return whole;
}

/// Infers the result of an op that keeps the operand's type.
template <typename Adaptor>
static LogicalResult inferSame(std::optional<Location> location, StringRef op, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  if (failed(checkAxis(location, op, adaptor.getAxis(), adaptor.getSize())))
    return failure();
  types.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult AllReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  if (failed(checkMean(location, getOperationName(), adaptor.getKind(), adaptor.getOperand().getType())))
    return failure();
  return inferSame(location, getOperationName(), adaptor, types);
}

LogicalResult CollectiveBroadcastOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  if (failed(inferSame(location, getOperationName(), adaptor, types)))
    return failure();
  int64_t root = adaptor.getRoot();
  Dim ranks = dimsOf(adaptor.getSize()).front();
  if (root < 0 || (ranks.isStatic() && root >= ranks.constant()))
    return emitOptionalError(location, getOperationName(), ": 'from' is ", root, ", but axis '", adaptor.getAxis(), "' has ",
                             ranks.str(), " ranks");
  return success();
}

LogicalResult CollectivePermuteOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                    SmallVectorImpl<Type> &types) {
  return inferSame(location, getOperationName(), adaptor, types);
}

LogicalResult AxisIndexOp::inferReturnTypes(MLIRContext *context, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 64)));
  return checkAxis(location, getOperationName(), adaptor.getAxis(), adaptor.getSize());
}

LogicalResult ReduceScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  StringRef op = getOperationName();
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t dim = adaptor.getDim();
  if (failed(checkAxis(location, op, adaptor.getAxis(), adaptor.getSize())) ||
      failed(checkMean(location, op, adaptor.getKind(), type)) || failed(checkDim(location, op, dim, type.getRank())))
    return failure();
  Dims dims = dimsOf(type);
  FailureOr<Dim> part = partOf(location, op, dim, dims[dim], adaptor.getAxis(), dimsOf(adaptor.getSize()).front());
  if (failed(part))
    return failure();
  dims[dim] = *part;
  types.push_back(tensorOf(dims, type.getElementType()));
  return success();
}

LogicalResult AllGatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  StringRef op = getOperationName();
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t dim = adaptor.getDim();
  if (failed(checkAxis(location, op, adaptor.getAxis(), adaptor.getSize())) ||
      failed(checkDim(location, op, dim, type.getRank())))
    return failure();
  Dims dims = dimsOf(type);
  FailureOr<Dim> whole = wholeOf(location, op, dim, dims[dim], dimsOf(adaptor.getSize()).front());
  if (failed(whole))
    return failure();
  dims[dim] = *whole;
  types.push_back(tensorOf(dims, type.getElementType()));
  return success();
}

LogicalResult AllToAllOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  StringRef op = getOperationName();
  auto type = cast<RankedTensorType>(adaptor.getOperand().getType());
  int64_t split = adaptor.getSplit(), concat = adaptor.getConcat();
  if (failed(checkAxis(location, op, adaptor.getAxis(), adaptor.getSize())))
    return failure();
  for (auto [name, dim] : {std::pair("split", split), std::pair("concat", concat)})
    if (dim < 0 || dim >= type.getRank())
      return emitOptionalError(location, op, ": '", name, "' is ", dim, ", but the operand has rank ", type.getRank());
  Dims dims = dimsOf(type);
  Dim ranks = dimsOf(adaptor.getSize()).front();
  FailureOr<Dim> part = partOf(location, op, split, dims[split], adaptor.getAxis(), ranks);
  if (failed(part))
    return failure();
  dims[split] = *part;
  FailureOr<Dim> whole = wholeOf(location, op, concat, dims[concat], ranks);
  if (failed(whole))
    return failure();
  dims[concat] = *whole;
  types.push_back(tensorOf(dims, type.getElementType()));
  return success();
}

LogicalResult CollectiveWaitOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  types.push_back(adaptor.getStarted().getType());
  return success();
}

// ---- Folds

/// Returns the operand of an op over an axis of one rank.
template <typename Op>
static OpFoldResult foldOneRank(Op op) {
  bool isAlone = op.getAxisSize() == Dim(1) && op.getOperand().getType() == op.getType();
  return isAlone ? op.getOperand() : Value();
}

OpFoldResult AllReduceOp::fold(FoldAdaptor) { return foldOneRank(*this); }
OpFoldResult ReduceScatterOp::fold(FoldAdaptor) { return foldOneRank(*this); }
OpFoldResult AllGatherOp::fold(FoldAdaptor) { return foldOneRank(*this); }
OpFoldResult AllToAllOp::fold(FoldAdaptor) { return foldOneRank(*this); }
OpFoldResult CollectiveBroadcastOp::fold(FoldAdaptor) { return foldOneRank(*this); }

OpFoldResult CollectivePermuteOp::fold(FoldAdaptor) {
  Dim ranks = getAxisSize();
  bool isWhole = getShift() == 0 || (ranks.isStatic() && int64_t(getShift()) % ranks.constant() == 0);
  return isWhole ? getOperand() : Value();
}

OpFoldResult AxisIndexOp::fold(FoldAdaptor) {
  if (getAxisSize() != Dim(1))
    return {};
  return DenseElementsAttr::get(cast<ShapedType>(getType()), int64_t(0));
}

// ---- Text of the ops that may bring the axis' name into their results

/// Parses `%x PARAMETERS over data {attributes} : T`, and the result's type as other naming ops have it.
template <typename Op>
static ParseResult parseGathering(OpAsmParser &parser, OperationState &state, ArrayRef<StringRef> parameters) {
  OpAsmParser::UnresolvedOperand operand;
  NamedAttrList attributes;
  RankedTensorType type;
  StringAttr axis;
  ShapeAttr size;
  if (parser.parseOperand(operand))
    return failure();
  for (StringRef parameter : parameters) {
    int64_t dim;
    if (parser.parseKeyword(parameter) || parser.parseInteger(dim))
      return failure();
    attributes.set(parameter, parser.getBuilder().getI64IntegerAttr(dim));
  }
  if (parseAxis(parser, axis, size) || parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parser.parseType(type) || parser.resolveOperand(operand, type, state.operands))
    return failure();
  attributes.set("axis", axis);
  attributes.set("size", size);
  return parseNamedResult<Op>(parser, state, attributes);
}

template <typename Op>
static void printGathering(Op op, OpAsmPrinter &printer) {
  printAxis(printer, op, op.getAxisAttr(), op.getSize());
  printer.printOptionalAttrDict(op->getAttrs(), {"dim", "split", "concat", "axis", "size"});
  printer << " : " << op.getOperand().getType();
  printNamedResult(printer, op.getResult());
}

ParseResult AllGatherOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseGathering<AllGatherOp>(parser, state, {"dim"});
}
void AllGatherOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperand() << " dim " << getDim() << ' ';
  printGathering(*this, printer);
}

ParseResult AllToAllOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseGathering<AllToAllOp>(parser, state, {"split", "concat"});
}
void AllToAllOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperand() << " split " << getSplit() << " concat " << getConcat() << ' ';
  printGathering(*this, printer);
}
