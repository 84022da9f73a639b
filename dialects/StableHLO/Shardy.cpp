#include "dialects/StableHLO/Shardy.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace lathe;

sdy::ShardyDialect::ShardyDialect(MLIRContext *context)
    : Dialect(getDialectNamespace(), context, TypeID::get<ShardyDialect>()) {
  allowUnknownOperations();
}

Attribute sdy::ShardyDialect::parseAttribute(DialectAsmParser &parser, Type type) const {
  return OpaqueAttr::get(StringAttr::get(getContext(), getNamespace()), parser.getFullSymbolSpec(),
                         type ? type : NoneType::get(getContext()));
}

void sdy::ShardyDialect::printAttribute(Attribute, DialectAsmPrinter &) const {} // it has none: opaque ones print themselves

// ---- Shardings as text

static ParseResult skipTokens(OpAsmParser &parser, bool isInside);

/// Skips a list in brackets of any kind, if there is one.
static OptionalParseResult skipList(OpAsmParser &parser) {
  if (succeeded(parser.parseOptionalLess()))
    return failure(skipTokens(parser, true) || parser.parseGreater());
  if (succeeded(parser.parseOptionalLSquare()))
    return failure(skipTokens(parser, true) || parser.parseRSquare());
  if (succeeded(parser.parseOptionalLBrace()))
    return failure(skipTokens(parser, true) || parser.parseRBrace());
  if (succeeded(parser.parseOptionalLParen()))
    return failure(skipTokens(parser, true) || parser.parseRParen());
  return std::nullopt;
}

/// Skips keywords, strings, numbers and lists, up to the end of the list that is open; outside of lists up to a colon.
static ParseResult skipTokens(OpAsmParser &parser, bool isInside) {
  for (;;) {
    std::string text;
    StringRef word;
    StringAttr symbol;
    int64_t number;
    OptionalParseResult found = skipList(parser);
    if (!found.has_value())
      found = parser.parseOptionalInteger(number);
    if (found.has_value() && failed(*found))
      return failure();
    if (!found.has_value() && failed(parser.parseOptionalString(&text)) && failed(parser.parseOptionalSymbolName(symbol)) &&
        failed(parser.parseOptionalComma()) && failed(parser.parseOptionalQuestion()) && failed(parser.parseOptionalEqual()) &&
        failed(parser.parseOptionalKeyword(&word)) && (!isInside || failed(parser.parseOptionalColon())))
      return success();
  }
}

/// Parses a list in brackets, such as `<@mesh, [{"x"}, {}]>`, and keeps it as text in an attribute.
static ParseResult parseText(OpAsmParser &parser, OperationState &state, StringRef name) {
  SMLoc place = parser.getCurrentLocation();
  OptionalParseResult found = skipList(parser);
  if (!found.has_value())
    return parser.emitError(place, "expected a list");
  if (failed(*found))
    return failure();
  StringRef text(place.getPointer(), parser.getCurrentLocation().getPointer() - place.getPointer());
  state.addAttribute(name, parser.getBuilder().getStringAttr(text.rtrim()));
  return success();
}

// ---- Ops

static ParseResult parseMesh(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  return failure(parser.parseSymbolName(name, "sym_name", state.attributes) || parser.parseEqual() ||
                 parseText(parser, state, "mesh") || parser.parseOptionalAttrDict(state.attributes));
}

/// Parses `%x <@mesh, [{"x"}, {}]> : type`, or `%x name=value : type`: an op that says something of a value.
static ParseResult parseAnnotation(OpAsmParser &parser, OperationState &state) {
  OpAsmParser::UnresolvedOperand operand;
  Type type;
  if (parser.parseOperand(operand) || skipTokens(parser, /*isInside=*/false) || parser.parseColonType(type) ||
      parser.resolveOperand(operand, type, state.operands))
    return failure();
  if (state.name.getStringRef() != "sdy.sharding_group")
    state.addTypes(type);
  return success();
}

static ParseResult parseReturn(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc place = parser.getCurrentLocation();
  return failure(parser.parseOperandList(operands) || (!operands.empty() && parser.parseColonTypeList(types)) ||
                 parser.resolveOperands(operands, types, place, state.operands));
}

static ParseResult parseManualComputation(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  FunctionType type;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(operands, OpAsmParser::Delimiter::Paren))
    return failure();
  for (StringRef name : {"in_shardings", "out_shardings", "manual_axes"})
    if (parser.parseKeyword(name) || parser.parseEqual() || parseText(parser, state, name))
      return failure();
  if (parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true) ||
      parser.parseRegion(*state.addRegion(), arguments) || parser.parseOptionalAttrDict(state.attributes) ||
      parser.parseColonType(type) || parser.resolveOperands(operands, type.getInputs(), place, state.operands))
    return failure();
  state.addTypes(type.getResults());
  return success();
}

std::optional<Dialect::ParseOpHook> sdy::ShardyDialect::getParseOperationHook(StringRef name) const {
  if (name == "sdy.mesh")
    return parseMesh;
  if (name == "sdy.manual_computation")
    return parseManualComputation;
  if (name == "sdy.return")
    return parseReturn;
  if (name == "sdy.sharding_constraint" || name == "sdy.reshard" || name == "sdy.propagation_barrier" ||
      name == "sdy.sharding_group")
    return parseAnnotation;
  return std::nullopt;
}

// ---- Reading

std::string sdy::textOf(Operation *op, StringRef name) {
  Attribute value = op->getAttr(name);
  if (auto text = dyn_cast_or_null<StringAttr>(value))
    return text.str();
  std::string printed;
  llvm::raw_string_ostream out(printed);
  if (value)
    value.print(out);
  return printed;
}

SmallVector<std::pair<std::string, int64_t>> sdy::axesOf(Operation *mesh) {
  std::string text = textOf(mesh, "mesh");
  SmallVector<std::pair<std::string, int64_t>> axes;
  for (StringRef rest = text; rest.contains('"');) {
    StringRef name = rest.split('"').second.split('"').first;
    rest = rest.split('"').second.split('"').second.ltrim();
    int64_t size;
    if (rest.consume_front("=") && !(rest = rest.ltrim()).consumeInteger(10, size))
      axes.emplace_back(name.str(), size);
  }
  return axes;
}
