// The convolution family: text form and inference. ReductionOps.td states the relation of input, tap and output.
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/SamePadding.h"
#include "dialects/Lathe/IR/Syntax.h"
#include "lib/Support/Text.h"

using namespace mlir;
using namespace lathe;

namespace {
/// The two tensors of the trilinear form that are operands; the spatial extents of the third one are an attribute.
enum class Member { Conv, InputGrad, FilterGrad };
} // namespace

// ---- Text

static ParseResult parsePad(OpAsmParser &parser, std::string &keyword, SmallVectorImpl<int64_t> &low,
                            SmallVectorImpl<int64_t> &high) {
  if (succeeded(parser.parseOptionalKeyword("same")))
    return keyword = "same", success();
  if (succeeded(parser.parseOptionalKeyword("valid")))
    return keyword = "valid", success();
  return parsePadding(parser, low, high);
}

/// Computes the numbers for "same". The lists stay empty if named or unknown sizes decide the padding; import resolves these.
/// Lists that inference will refuse get no padding.
static LogicalResult padSame(OpAsmParser &parser, llvm::SMLoc place, const Dims &input, const Dims &filter,
                             ArrayRef<int64_t> strides, ArrayRef<int64_t> dilation, SmallVectorImpl<int64_t> &low,
                             SmallVectorImpl<int64_t> &high) {
  auto atLeastOne = [](int64_t value) { return value >= 1; };
  if (input.size() != strides.size() || filter.size() != strides.size() || dilation.size() != strides.size() ||
      !llvm::all_of(strides, atLeastOne) || !llvm::all_of(dilation, atLeastOne)) {
    low.assign(strides.size(), 0);
    high.assign(strides.size(), 0);
    return success();
  }
  bool isKnown = true;
  for (size_t i = 0; i < strides.size(); ++i) {
    Dim reach = reachOf(filter[i], dilation[i]);
    if (hasOverflowed(reach, filter[i]))
      return parser.emitError(place, "the dilated filter overflows 63 bits in spatial dimension ") << i;
    bool isAnySize = input[i].isUnknown() && strides[i] == 1; // the padding is reach - 1
    SamePadding padding = samePadding(isAnySize ? Dim(1) : input[i], strides[i], reach);
    isKnown &= padding.isStatic();
    low.push_back(padding.low.constant());
    high.push_back(padding.high.constant());
  }
  if (!isKnown) {
    low.clear();
    high.clear();
  }
  return success();
}

static Dims spatial(Type type, bool filter) {
  Dims dims = dimsOf(cast<RankedTensorType>(type));
  if (dims.size() < 3)
    return {};
  return filter ? Dims(dims.begin(), dims.end() - 2) : Dims(dims.begin() + 1, dims.end() - 1);
}

static ParseResult parseConvolution(OpAsmParser &parser, OperationState &state, NamedAttrList &geometry, Member member) {
  OpAsmParser::UnresolvedOperand operands[2];
  SmallVector<int64_t> strides, low, high, dilation, inputDilation;
  int64_t groups = 1;
  std::string padKeyword;
  ShapeAttr shape;
  Type types[2];
  llvm::SMLoc padPlace;
  if (parser.parseOperand(operands[0]) || parser.parseComma() || parser.parseOperand(operands[1]))
    return failure();
  const bool hasShape = member != Member::Conv || succeeded(parser.parseOptionalKeyword("output"));
  if (member != Member::Conv && parser.parseKeyword(member == Member::InputGrad ? "input" : "filter"))
    return failure();
  if (hasShape && parseShape(parser, shape))
    return failure();
  if (parser.parseKeyword("stride") || parseIntegers(parser, strides) || parser.parseKeyword("pad") ||
      parser.getCurrentLocation(&padPlace) || parsePad(parser, padKeyword, low, high))
    return failure();
  dilation.assign(strides.size(), 1);
  inputDilation.assign(strides.size(), 1);
  auto optional = [&](StringRef keyword, SmallVector<int64_t> &list) -> ParseResult {
    if (failed(parser.parseOptionalKeyword(keyword)))
      return success();
    list.clear();
    return parseIntegers(parser, list);
  };
  if (optional("dilation", dilation) || optional("input_dilation", inputDilation))
    return failure();
  if (succeeded(parser.parseOptionalKeyword("groups")) && parser.parseInteger(groups))
    return failure();
  llvm::SMLoc typePlace;
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() || parser.getCurrentLocation(&typePlace) ||
      parseTypes(parser, types[0], types[1]) || parser.resolveOperands(operands, types, typePlace, state.operands))
    return failure();
  if (!isa<RankedTensorType>(types[0]) || !isa<RankedTensorType>(types[1]))
    return parser.emitError(typePlace, "expected ranked tensor types");
  if (padKeyword == "same") {
    if (llvm::any_of(inputDilation, [](int64_t value) { return value != 1; }))
      return parser.emitError(padPlace, "'pad same' is not defined with input_dilation; write the padding as numbers");
    Dims input = member == Member::InputGrad ? dimsOf(shape) : spatial(types[0], false);
    Dims filter = member == Member::FilterGrad ? dimsOf(shape) : spatial(types[1], true);
    if (failed(padSame(parser, padPlace, input, filter, strides, dilation, low, high)))
      return failure();
    if (low.empty() && !strides.empty()) {
      low.assign(strides.size(), 0);
      high.assign(strides.size(), 0);
      geometry.set("pad_same", parser.getBuilder().getUnitAttr());
    }
  } else if (padKeyword == "valid") {
    low.assign(strides.size(), 0);
    high.assign(strides.size(), 0);
  }
  Builder &builder = parser.getBuilder();
  geometry.set("strides", builder.getDenseI64ArrayAttr(strides));
  geometry.set("pad_low", builder.getDenseI64ArrayAttr(low));
  geometry.set("pad_high", builder.getDenseI64ArrayAttr(high));
  geometry.set("dilation", builder.getDenseI64ArrayAttr(dilation));
  geometry.set("input_dilation", builder.getDenseI64ArrayAttr(inputDilation));
  geometry.set("groups", builder.getI64IntegerAttr(groups));
  if (shape)
    geometry.set(member == Member::Conv ? "output_shape" : member == Member::InputGrad ? "input_shape" : "filter_shape", shape);
  return success();
}

template <typename Op>
static ParseResult parseAndInfer(OpAsmParser &parser, OperationState &state, Member member) {
  NamedAttrList geometry;
  llvm::SMLoc start = parser.getCurrentLocation();
  if (parseConvolution(parser, state, geometry, member))
    return failure();
  auto &properties = state.getOrAddProperties<typename Op::Properties>();
  if (failed(Op::setPropertiesFromAttr(properties, geometry.getDictionary(parser.getContext()),
                                       [&] { return parser.emitError(start); })))
    return failure();
  SmallVector<Type> results;
  if (failed(Op::inferReturnTypes(parser.getContext(), state.location, state.operands,
                                  state.attributes.getDictionary(parser.getContext()), state.getRawProperties(), state.regions,
                                  results)))
    return failure();
  state.addTypes(results);
  return success();
}

template <typename Op>
static void printConvolution(OpAsmPrinter &printer, Op op, StringRef keyword, ShapeAttr shape) {
  ConvolutionGeometry g = op.getGeometry();
  printer << ' ' << op->getOperand(0) << ", " << op->getOperand(1);
  if (shape)
    printer << ' ' << keyword << ' ' << str(dimsOf(shape));
  printer << " stride " << listText(g.strides) << " pad ";
  if (op.getPadSame())
    printer << "same";
  else
    printPadding(printer, g.padLow, g.padHigh);
  auto one = [](int64_t value) { return value == 1; };
  if (!llvm::all_of(g.dilation, one))
    printer << " dilation " << listText(g.dilation);
  if (!llvm::all_of(g.inputDilation, one))
    printer << " input_dilation " << listText(g.inputDilation);
  if (g.groups != 1)
    printer << " groups " << g.groups;
  printer.printOptionalAttrDict(op->getAttrs(), {"strides", "pad_low", "pad_high", "dilation", "input_dilation", "groups",
                                                 "pad_same", "input_shape", "filter_shape", "output_shape"});
  printer << " : ";
  printTypes(printer, op, op->getOperand(0).getType(), op->getOperand(1).getType());
}

ParseResult ConvOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseAndInfer<ConvOp>(parser, state, Member::Conv);
}
ParseResult ConvInputGradOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseAndInfer<ConvInputGradOp>(parser, state, Member::InputGrad);
}
ParseResult ConvFilterGradOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseAndInfer<ConvFilterGradOp>(parser, state, Member::FilterGrad);
}
void ConvOp::print(OpAsmPrinter &printer) {
  printConvolution(printer, *this, "output", getOutputShape().value_or(ShapeAttr()));
}
void ConvInputGradOp::print(OpAsmPrinter &printer) { printConvolution(printer, *this, "input", getInputShape()); }
void ConvFilterGradOp::print(OpAsmPrinter &printer) { printConvolution(printer, *this, "filter", getFilterShape()); }

// ---- Inference

namespace {
/// Checks a convolution of any member of the family.
struct Form {
  std::optional<Location> location;
  StringRef op;
  ConvolutionGeometry g;
  bool isSame; // `pad same`, which import has not resolved yet

  LogicalResult checkLists(size_t rank) const {
    if (rank < 3)
      return emitOptionalError(location, op, ": operands need rank 3 or more, [batch, spatial..., channels], got rank ", rank);
    for (auto [name, list] : {std::pair<StringRef, ArrayRef<int64_t>>{"stride", g.strides},
                              {"pad", g.padLow},
                              {"pad", g.padHigh},
                              {"dilation", g.dilation},
                              {"input_dilation", g.inputDilation}})
      if (list.size() != rank - 2)
        return emitOptionalError(location, op, ": '", name, "' has ", list.size(), " entries for ", rank - 2,
                                 " spatial dimensions");
    for (auto [name, list] : {std::pair<StringRef, ArrayRef<int64_t>>{"stride", g.strides},
                              {"dilation", g.dilation},
                              {"input_dilation", g.inputDilation}})
      if (llvm::any_of(list, [](int64_t value) { return value < 1; }))
        return emitOptionalError(location, op, ": '", name, "' must be at least 1, got ", listText(list));
    if (g.groups < 1)
      return emitOptionalError(location, op, ": 'groups' must be at least 1, got ", g.groups);
    return success();
  }

  /// Checks C5 and C6 on known channel counts.
  LogicalResult checkChannels(const Dim &input, const Dim &perGroup, const Dim &output, StringRef inputText) const {
    if (!mayEqual(input, perGroup * Dim(g.groups)))
      return emitOptionalError(location, op, ": operand 1 'filter' has ", perGroup.str(), " input channels",
                               g.groups == 1 ? std::string() : " in each of " + std::to_string(g.groups) + " groups", ", ",
                               inputText, " has ", input.str());
    if (!output.isStatic() || output.constant() % g.groups)
      return emitOptionalError(location, op, ": ", output.str(), " output channels do not divide into ", g.groups, " groups");
    return success();
  }

  /// Returns the spatial extents of the output (C7).
  FailureOr<Dims> outputExtents(ArrayRef<Dim> input, ArrayRef<Dim> filter) const {
    Dims result;
    for (size_t i = 0; i < input.size(); ++i) {
      if (!filter[i].isStatic() && !filter[i].isUnknown())
        return emitOptionalError(location, op, ": the filter's spatial extent ", i, " is the named ", filter[i].str());
      Dim span = dilated(input[i], g.inputDilation[i]);
      Dim reach = reachOf(filter[i], g.dilation[i]);
      if (isSame) {
        if (hasOverflowed(reach, filter[i]))
          return emitOptionalError(location, op, ": the dilated filter overflows 63 bits in spatial dimension ", i);
        result.push_back(ceilDiv(input[i], g.strides[i]));
        continue;
      }
      Dim padded = span + Dim(g.padLow[i]) + Dim(g.padHigh[i]);
      Dim last = padded - reach;
      if (hasOverflowed(last, {input[i], filter[i]}))
        return emitOptionalError(location, op, ": the extents of spatial dimension ", i, " overflow 63 bits");
      if (last.isStatic() && last.constant() < -g.strides[i])
        return emitOptionalError(location, op, ": the filter's extent ", filter[i].str(), " in spatial dimension ", i,
                                 " is larger than the padded input's ", padded.str());
      result.push_back(floorDiv(last, g.strides[i]) + Dim(1));
    }
    return result;
  }
};
} // namespace

template <typename Adaptor>
static Form formOf(std::optional<Location> location, StringRef op, Adaptor &adaptor) {
  return {location,
          op,
          {adaptor.getStrides(), adaptor.getInputDilation(), adaptor.getDilation(), adaptor.getPadLow(), adaptor.getPadHigh(),
           int64_t(adaptor.getGroups())},
          adaptor.getPadSame()};
}

static LogicalResult sameElementAndRank(const Form &form, StringRef first, RankedTensorType a, StringRef second,
                                        RankedTensorType b) {
  if (a.getElementType() != b.getElementType())
    return emitOptionalError(form.location, form.op, ": operand '", first, "' has element type ", a.getElementType(),
                             ", operand '", second, "' ", b.getElementType());
  if (a.getRank() != b.getRank())
    return emitOptionalError(form.location, form.op, ": operand '", first, "' has rank ", a.getRank(), ", operand '", second,
                             "' ", b.getRank());
  return form.checkLists(a.getRank());
}

static ArrayRef<Dim> inner(const Dims &dims) { return ArrayRef<Dim>(dims).drop_front().drop_back(); }

LogicalResult ConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  Form form = formOf(location, getOperationName(), adaptor);
  auto x = cast<RankedTensorType>(adaptor.getInput().getType()), w = cast<RankedTensorType>(adaptor.getFilter().getType());
  if (failed(sameElementAndRank(form, "input", x, "filter", w)))
    return failure();
  Dims input = dimsOf(x), filter = dimsOf(w);
  if (failed(form.checkChannels(input.back(), filter[filter.size() - 2], filter.back(), "operand 0 'input'")))
    return failure();
  FailureOr<Dims> extents = form.outputExtents(inner(input), ArrayRef<Dim>(filter).drop_back(2));
  if (std::optional<ShapeAttr> shape = adaptor.getOutputShape())
    extents = dimsOf(*shape);
  if (failed(extents))
    return failure();
  if (extents->size() + 2 != input.size())
    return emitOptionalError(location, form.op, ": 'output' has ", extents->size(), " entries for ", input.size() - 2,
                             " spatial dimensions");
  Dims result{input.front()};
  result.append(*extents);
  result.push_back(filter.back());
  types.push_back(tensorOf(result, x.getElementType()));
  return success();
}

static LogicalResult checkOutput(const Form &form, int index, const Dims &output, const Dims &expected) {
  for (size_t i = 0; i < expected.size(); ++i)
    if (!mayEqual(output[i + 1], expected[i]))
      return emitOptionalError(form.location, form.op, ": operand ", index, " 'output' has extent ", output[i + 1].str(),
                               " in spatial dimension ", i, ", but the convolution gives ", expected[i].str());
  return success();
}

LogicalResult ConvInputGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  Form form = formOf(location, getOperationName(), adaptor);
  auto y = cast<RankedTensorType>(adaptor.getOutput().getType()), w = cast<RankedTensorType>(adaptor.getFilter().getType());
  if (failed(sameElementAndRank(form, "output", y, "filter", w)))
    return failure();
  Dims output = dimsOf(y), filter = dimsOf(w), input = dimsOf(adaptor.getInputShape());
  if (input.size() + 2 != output.size())
    return emitOptionalError(location, form.op, ": 'input' has ", input.size(), " entries for ", output.size() - 2,
                             " spatial dimensions");
  Dim channels = filter[filter.size() - 2] * Dim(form.g.groups);
  if (!mayEqual(output.back(), filter.back()))
    return emitOptionalError(location, form.op, ": operand 1 'filter' has ", filter.back().str(),
                             " output channels, operand 0 'output' has ", output.back().str());
  if (failed(form.checkChannels(channels, filter[filter.size() - 2], filter.back(), "the input")))
    return failure();
  FailureOr<Dims> extents = form.outputExtents(input, ArrayRef<Dim>(filter).drop_back(2));
  if (failed(extents) || failed(checkOutput(form, 0, output, *extents)))
    return failure();
  Dims result{output.front()};
  result.append(input);
  result.push_back(channels);
  types.push_back(tensorOf(namedAs(result, output), y.getElementType()));
  return success();
}

LogicalResult ConvFilterGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  Form form = formOf(location, getOperationName(), adaptor);
  auto x = cast<RankedTensorType>(adaptor.getInput().getType()), y = cast<RankedTensorType>(adaptor.getOutput().getType());
  if (failed(sameElementAndRank(form, "input", x, "output", y)))
    return failure();
  Dims input = dimsOf(x), output = dimsOf(y), filter = dimsOf(adaptor.getFilterShape());
  if (filter.size() + 2 != output.size())
    return emitOptionalError(location, form.op, ": 'filter' has ", filter.size(), " entries for ", output.size() - 2,
                             " spatial dimensions");
  if (!mayEqual(input.front(), output.front()))
    return emitOptionalError(location, form.op, ": operand 0 'input' has batch ", input.front().str(), ", operand 1 'output' ",
                             output.front().str());
  std::optional<Dim> perGroup = input.back().isStatic() ? input.back().dividedBy(form.g.groups) : std::nullopt;
  if (!perGroup)
    return emitOptionalError(location, form.op, ": ", input.back().str(), " input channels do not divide into ", form.g.groups,
                             " groups");
  if (failed(form.checkChannels(input.back(), *perGroup, output.back(), "operand 0 'input'")))
    return failure();
  FailureOr<Dims> extents = form.outputExtents(inner(input), filter);
  if (failed(extents) || failed(checkOutput(form, 1, output, *extents)))
    return failure();
  Dims result = filter;
  result.push_back(*perGroup);
  result.push_back(output.back());
  types.push_back(tensorOf(result, x.getElementType()));
  return success();
}
