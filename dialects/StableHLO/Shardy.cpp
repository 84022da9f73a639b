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

/// Reads a name in quotes. Returns false if there is none.
static bool readName(StringRef &text, std::string &name) {
  if (!text.consume_front("\"") || !text.contains('"'))
    return false;
  auto [found, rest] = text.split('"');
  name = found.str();
  text = rest.ltrim();
  return true;
}

/// Reads a mark, and the spaces behind it. Returns false if there is none.
static bool readMark(StringRef &text, StringRef mark) {
  if (!text.consume_front(mark))
    return false;
  text = text.ltrim();
  return true;
}

/// Reads the axes of a dimension, `{"x", "y", ?}p1`.
static bool readDimension(StringRef &text, SmallVectorImpl<std::string> &axes) {
  if (!readMark(text, "{"))
    return false;
  while (!readMark(text, "}")) {
    std::string name;
    if (!readMark(text, "?")) {
      if (!readName(text, name))
        return false;
      axes.push_back(name);
    }
    if (!readMark(text, ",") && !text.starts_with("}"))
      return false; // a part of an axis, "x":(1)2
  }
  unsigned priority;
  if (text.starts_with("p") && !text.drop_front().consumeInteger(10, priority))
    text = text.drop_front().drop_while(llvm::isDigit).ltrim();
  return true;
}

/// Reads a sharding, `<@mesh, [{"x"}, {}], replicated={"y"}>`.
static bool readSharding(StringRef &text, sdy::Sharding &sharding) {
  if (!readMark(text, "<") || !readMark(text, "@"))
    return false;
  StringRef name = text.take_until([](char letter) { return letter == ',' || letter == '>'; });
  text = text.drop_front(name.size());
  sharding.mesh = name.trim(" \"").str();
  if (!readMark(text, ",") || !readMark(text, "["))
    return false;
  while (!readMark(text, "]")) {
    if (!readDimension(text, sharding.dims.emplace_back()))
      return false;
    if (!readMark(text, ",") && !text.starts_with("]"))
      return false;
  }
  if (readMark(text, ",")) { // axes along which the value is the same
    if (!readMark(text, "replicated") || !readMark(text, "="))
      return false;
    SmallVector<std::string> axes;
    if (!readDimension(text, axes))
      return false;
  }
  return readMark(text, ">");
}

std::optional<SmallVector<sdy::Sharding>> sdy::shardingsOf(Operation *op, StringRef name) {
  std::string printed = textOf(op, name);
  StringRef text = printed;
  text.consume_front("#sdy.sharding_per_value<");
  SmallVector<Sharding> shardings;
  if (!readMark(text, "["))
    return std::nullopt;
  while (!readMark(text, "]")) {
    if (!readSharding(text, shardings.emplace_back()))
      return std::nullopt;
    if (!readMark(text, ",") && !text.starts_with("]"))
      return std::nullopt;
  }
  return shardings;
}

SmallVector<std::string> sdy::axisNames(Operation *op, StringRef name) {
  std::string printed = textOf(op, name);
  SmallVector<std::string> names;
  for (StringRef text = printed; text.contains('"');) {
    text = text.drop_front(text.find('"'));
    if (!readName(text, names.emplace_back()))
      break;
  }
  return names;
}
