// The syntax of ops with regions, and of constants.
#include "dialects/StableHLO/Dialects.h"
#include "dialects/StableHLO/Syntax.h"

using namespace mlir;
using namespace lathe;
using Operand = OpAsmParser::UnresolvedOperand;

/// Parses `(types) -> types`, and resolves the operands.
static ParseResult parseSignature(OpAsmParser &parser, OperationState &state, ArrayRef<Operand> operands) {
  FunctionType type;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseType(type) || parser.resolveOperands(operands, type.getInputs(), place, state.operands))
    return failure();
  state.addTypes(type.getResults());
  return success();
}

static void printSignature(OpAsmPrinter &printer, Operation *op) {
  printer << " : ";
  printer.printFunctionalType(op);
}

// ---- constant

ParseResult stablehlo::ConstantOp::parse(OpAsmParser &parser, OperationState &state) {
  ElementsAttr value;
  if (succeeded(parser.parseOptionalLParen())) // the form of constants whose type is not that of the value
    return failure(parser.parseRParen() || parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
                   parseSignature(parser, state, {}));
  if (parser.parseOptionalAttrDict(state.attributes) || parser.parseAttribute(value, "value", state.attributes))
    return failure();
  state.addTypes(value.getType());
  return success();
}

void stablehlo::ConstantOp::print(OpAsmPrinter &printer) {
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << " " << getValue();
}

// ---- reduce

/// Parses `(%a init: %b), (%c init: %d)`.
static ParseResult parseInputs(OpAsmParser &parser, SmallVectorImpl<Operand> &operands) {
  SmallVector<Operand> starts;
  auto parsePair = [&]() -> ParseResult {
    return failure(parser.parseLParen() || parser.parseOperand(operands.emplace_back()) || parser.parseKeyword("init") ||
                   parser.parseColon() || parser.parseOperand(starts.emplace_back()) || parser.parseRParen());
  };
  if (parser.parseCommaSeparatedList(parsePair))
    return failure();
  operands.append(starts);
  return success();
}

/// Parses `across dimensions = [0, 1] : types`.
static ParseResult parseDimensions(OpAsmParser &parser, OperationState &state, ArrayRef<Operand> operands) {
  SmallVector<int64_t> dimensions;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parseList(parser, dimensions) || parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parseSignature(parser, state, operands))
    return failure();
  state.addAttribute("dimensions", parser.getBuilder().getDenseI64ArrayAttr(dimensions));
  return success();
}

/// Parses the region after `reducer`: pairs of arguments in parentheses, the accumulated one first.
static ParseResult parseReducer(OpAsmParser &parser, OperationState &state, size_t pairs) {
  SmallVector<OpAsmParser::Argument> first, second;
  if (parser.parseKeyword("reducer"))
    return failure();
  for (size_t i = 0; i < pairs; ++i)
    if (parser.parseLParen() || parser.parseArgument(first.emplace_back(), /*allowType=*/true) || parser.parseComma() ||
        parser.parseArgument(second.emplace_back(), /*allowType=*/true) || parser.parseRParen())
      return failure();
  first.append(second);
  return parser.parseRegion(*state.addRegion(), first);
}

ParseResult stablehlo::ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> operands;
  if (parseInputs(parser, operands))
    return failure();
  if (failed(parser.parseOptionalKeyword("applies")))
    return failure(parseDimensions(parser, state, operands) || parseReducer(parser, state, operands.size() / 2));
  SMLoc place = parser.getCurrentLocation();
  FailureOr<OperationName> name = parser.parseCustomOperationName();
  if (failed(name) || parseDimensions(parser, state, operands))
    return failure();
  if (!name->isRegistered() || state.types.size() != 1)
    return parser.emitError(place, "'applies' needs an op of StableHLO and one operand");
  auto result = dyn_cast<ShapedType>(state.types[0]);
  Type element = result ? RankedTensorType::get({}, result.getElementType()) : state.types[0];
  OpBuilder builder(parser.getContext());
  Block *block = builder.createBlock(state.addRegion(), {}, {element, element}, {state.location, state.location});
  OperationState combine(state.location, *name, block->getArguments(), {element});
  Operation *combined = builder.create(combine);
  ReturnOp::create(builder, state.location, combined->getResults());
  return success();
}

void stablehlo::ReduceOp::print(OpAsmPrinter &printer) {
  unsigned pairs = getInputs().size();
  printer << "(";
  for (unsigned i = 0; i < pairs; ++i)
    printer << (i ? ", (" : "") << getInputs()[i] << " init: " << getInitValues()[i] << ")";
  printer << " across dimensions = [";
  llvm::interleaveComma(getDimensions(), printer);
  printer << "]";
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printSignature(printer, *this);
  printer << " reducer";
  Block &block = getBody().front();
  for (unsigned i = 0; i < pairs; ++i) {
    printer << "(";
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(pairs + i));
    printer << ") ";
  }
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

// ---- while

ParseResult stablehlo::WhileOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Operand> operands;
  auto parseCarry = [&]() -> ParseResult {
    return failure(parser.parseArgument(arguments.emplace_back()) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()));
  };
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseCarry) ||
      (!operands.empty() && parser.parseColonTypeList(state.types)) ||
      parser.resolveOperands(operands, state.types, place, state.operands))
    return failure();
  for (auto [argument, type] : llvm::zip(arguments, state.types))
    argument.type = type;
  return failure(parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseKeyword("cond") ||
                 parser.parseRegion(*state.addRegion(), arguments) || parser.parseKeyword("do") ||
                 parser.parseRegion(*state.addRegion(), arguments));
}

void stablehlo::WhileOp::print(OpAsmPrinter &printer) {
  printer << "(";
  llvm::interleaveComma(llvm::zip(getBody().getArguments(), getOperand()), printer, [&](auto carry) {
    printer.printRegionArgument(std::get<0>(carry), {}, /*omitType=*/true);
    printer << " = " << std::get<1>(carry);
  });
  printer << ")";
  if (!getOperand().empty())
    printer << " : " << getOperandTypes();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer << " cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

// ---- scan

ParseResult chlo::ScanOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<Operand> operands, starts;
  IntegerAttr dimension;
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("inits") ||
      parser.parseOperandList(starts, OpAsmParser::Delimiter::Paren) || parser.parseKeyword("dimension") ||
      parser.parseEqual() ||
      parser.parseAttribute(dimension, parser.getBuilder().getI64Type(), "dimension", state.attributes) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseRegion(*state.addRegion()) ||
      parser.parseColon())
    return failure();
  int32_t inputs = operands.size(), carries = starts.size();
  operands.append(starts);
  if (parseSignature(parser, state, operands))
    return failure();
  int32_t outputs = int32_t(state.types.size()) - carries;
  state.addAttribute("operandSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr({inputs, carries}));
  state.addAttribute("resultSegmentSizes", parser.getBuilder().getDenseI32ArrayAttr({outputs, carries}));
  return success();
}

void chlo::ScanOp::print(OpAsmPrinter &printer) {
  printer << "(" << getInputs() << ") inits (" << getInits() << ") dimension = " << getDimension();
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  printer << " ";
  printer.printRegion(getBody());
  printSignature(printer, *this);
}
