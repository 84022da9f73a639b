// Text of the ops that introduce names of dimensions: broadcast, iota, set_dim_size and random numbers.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/IR/Syntax.h"

using namespace mlir;
using namespace lathe;

/// Parses `to [N, 16] {attributes} :`.
static ParseResult parseTo(OpAsmParser &parser, OperationState &state, NamedAttrList &attributes) {
  ShapeAttr shape;
  if (parser.parseKeyword("to") || parseShape(parser, shape) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColon())
    return failure();
  attributes.set("shape", shape);
  return success();
}

ParseResult BroadcastOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand operand;
  SmallVector<int64_t> dims;
  NamedAttrList attributes;
  RankedTensorType type;
  if (parser.parseOperand(operand) || parser.parseKeyword("dims") || parseIntegers(parser, dims) ||
      parseTo(parser, state, attributes) || parser.parseType(type) || parser.resolveOperand(operand, type, state.operands))
    return failure();
  attributes.set("dims", parser.getBuilder().getDenseI64ArrayAttr(dims));
  return parseNamedResult<BroadcastOp>(parser, state, attributes);
}

void BroadcastOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperand() << " dims ";
  getDimsAttr().print(printer);
  printer << " to " << str(dimsOf(getShape()));
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dims", "shape"});
  printer << " : " << getOperand().getType();
  printNamedResult(printer, getResult());
}

ParseResult IotaOp::parse(OpAsmParser &parser, OperationState &state) {
  int64_t dim;
  Type element;
  NamedAttrList attributes;
  if (parser.parseKeyword("dim") || parser.parseInteger(dim) || parseTo(parser, state, attributes) || parser.parseType(element))
    return failure();
  attributes.set("dim", parser.getBuilder().getI64IntegerAttr(dim));
  attributes.set("element", TypeAttr::get(element));
  return parseNamedResult<IotaOp>(parser, state, attributes);
}

void IotaOp::print(OpAsmPrinter &printer) {
  printer << " dim " << getDim() << " to " << str(dimsOf(getShape()));
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dim", "shape", "element"});
  printer << " : " << getElement();
  printNamedResult(printer, getResult());
}

ParseResult SetDimSizeOp::parse(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand operand, size;
  int64_t dim;
  std::string name;
  RankedTensorType type;
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(operand) || parser.parseKeyword("dim") || parser.parseInteger(dim) || parser.parseKeyword("to") ||
      parser.parseOperand(size) || parser.parseKeyword("as") || parser.parseKeywordOrString(&name) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() || parser.parseType(type) ||
      parser.resolveOperand(operand, type, state.operands) ||
      parser.resolveOperand(size, RankedTensorType::get({}, builder.getI64Type()), state.operands))
    return failure();
  NamedAttrList attributes;
  attributes.set("dim", builder.getI64IntegerAttr(dim));
  attributes.set("name", builder.getStringAttr(name));
  return parseNamedResult<SetDimSizeOp>(parser, state, attributes);
}

void SetDimSizeOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperand() << " dim " << getDim() << " to " << getSize() << " as ";
  printer.printKeywordOrString(getName());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dim", "name"});
  printer << " : " << getOperand().getType();
  printNamedResult(printer, getResult());
}

/// Parses `%seed stream 3 PARAMETERS to [N, 16] : f32`.
template <typename Op>
static ParseResult parseRandom(OpAsmParser &parser, OperationState &state,
                               llvm::function_ref<ParseResult(NamedAttrList &)> parseParameters = nullptr) {
  OpAsmParser::UnresolvedOperand seed;
  int64_t stream;
  Type element;
  NamedAttrList attributes;
  Builder &builder = parser.getBuilder();
  if (parser.parseOperand(seed) || parser.parseKeyword("stream") || parser.parseInteger(stream) ||
      (parseParameters && parseParameters(attributes)) || parseTo(parser, state, attributes) || parser.parseType(element) ||
      parser.resolveOperand(seed, RankedTensorType::get({}, builder.getI64Type()), state.operands))
    return failure();
  attributes.set("stream", builder.getI64IntegerAttr(stream));
  attributes.set("element", TypeAttr::get(element));
  return parseNamedResult<Op>(parser, state, attributes);
}

template <typename Op>
static void printRandom(Op op, OpAsmPrinter &printer, llvm::function_ref<void()> printParameters = nullptr) {
  printer << ' ' << op.getSeed() << " stream " << op.getStream();
  if (printParameters)
    printParameters();
  printer << " to " << str(dimsOf(op.getShape()));
  printer.printOptionalAttrDict(op->getAttrs(), {"stream", "shape", "element", "low", "high", "probability"});
  printer << " : " << op.getElement();
  printNamedResult(printer, op.getResult());
}

ParseResult RandomBitsOp::parse(OpAsmParser &parser, OperationState &state) { return parseRandom<RandomBitsOp>(parser, state); }
void RandomBitsOp::print(OpAsmPrinter &printer) { printRandom(*this, printer); }
ParseResult RandomUniformOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseRandom<RandomUniformOp>(parser, state);
}
void RandomUniformOp::print(OpAsmPrinter &printer) { printRandom(*this, printer); }
ParseResult RandomNormalOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseRandom<RandomNormalOp>(parser, state);
}
void RandomNormalOp::print(OpAsmPrinter &printer) { printRandom(*this, printer); }
ParseResult RandomPermutationOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseRandom<RandomPermutationOp>(parser, state);
}
void RandomPermutationOp::print(OpAsmPrinter &printer) { printRandom(*this, printer); }

ParseResult RandomIntegersOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseRandom<RandomIntegersOp>(parser, state, [&](NamedAttrList &attributes) -> ParseResult {
    int64_t low, high;
    if (parser.parseKeyword("from") || parser.parseInteger(low) || parser.parseKeyword("below") || parser.parseInteger(high))
      return failure();
    attributes.set("low", parser.getBuilder().getI64IntegerAttr(low));
    attributes.set("high", parser.getBuilder().getI64IntegerAttr(high));
    return success();
  });
}
void RandomIntegersOp::print(OpAsmPrinter &printer) {
  printRandom(*this, printer, [&] { printer << " from " << int64_t(getLow()) << " below " << int64_t(getHigh()); });
}

ParseResult RandomBernoulliOp::parse(OpAsmParser &parser, OperationState &state) {
  return parseRandom<RandomBernoulliOp>(parser, state, [&](NamedAttrList &attributes) -> ParseResult {
    FloatAttr probability;
    return failure(parser.parseKeyword("probability") ||
                   parser.parseAttribute(probability, parser.getBuilder().getF64Type(), "probability", attributes));
  });
}
void RandomBernoulliOp::print(OpAsmPrinter &printer) {
  printRandom(*this, printer, [&] {
    printer << " probability ";
    printer.printAttributeWithoutType(getProbabilityAttr());
  });
}
