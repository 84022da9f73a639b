#include "dialects/Lathe/IR/Syntax.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "llvm/ADT/TypeSwitch.h"
#include <charconv>

using namespace mlir;
using namespace lathe;

/// Parses the text after the opening parenthesis of a formula: `N, 16)`. The divisor is a number or a size.
static FailureOr<Dim> parseFormula(AsmParser &parser, DerivedDim::Kind kind) {
  DerivedDim formula{kind, {}};
  auto parseOperand = [&]() -> ParseResult {
    FailureOr<Dim> operand = parseDim(parser);
    if (failed(operand))
      return failure();
    formula.operands.push_back(*operand);
    return success();
  };
  llvm::SMLoc place;
  if (parseOperand() || (DerivedDim::isChoice(kind) && (parser.parseComma() || parseOperand())))
    return failure();
  if (DerivedDim::isQuotient(kind) && (parser.parseComma() || parser.getCurrentLocation(&place) || parseOperand()))
    return failure();
  if (parser.parseRParen())
    return failure();
  if (DerivedDim::isQuotient(kind) && formula.operands.back().isStatic())
    formula.divisor = formula.operands.pop_back_val().constant();
  if (formula.divisor < 1)
    return parser.emitError(place, "the divisor of a dimension must be a positive number, got ") << formula.divisor, failure();
  return formula.with(formula.operands);
}

static FailureOr<Dim> parseFactor(AsmParser &parser) {
  llvm::SMLoc place = parser.getCurrentLocation();
  for (StringRef truth : {"true", "false"}) // the parser takes them for integers of one bit
    if (succeeded(parser.parseOptionalKeyword(truth)))
      return parser.emitError(place, "expected a dimension name or a number, got '") << truth << "'", failure();
  int64_t value = 0;
  OptionalParseResult number = parser.parseOptionalInteger(value);
  if (number.has_value())
    return failed(*number) ? FailureOr<Dim>(failure()) : FailureOr<Dim>(Dim(value));
  std::string name;
  if (parser.parseKeywordOrString(&name))
    return failure();
  for (DerivedDim::Kind kind : DerivedDim::kKinds)
    if (name == DerivedDim::kNames[kind] && succeeded(parser.parseOptionalLParen()))
      return parseFormula(parser, kind);
  return Dim::named(name);
}

static FailureOr<Dim> parseProduct(AsmParser &parser, FailureOr<Dim> product) {
  while (succeeded(product) && succeeded(parser.parseOptionalStar())) {
    FailureOr<Dim> factor = parseFactor(parser);
    if (failed(factor))
      return failure();
    product = *product * *factor;
  }
  return product;
}

FailureOr<Dim> lathe::parseDim(AsmParser &parser) {
  llvm::SMLoc start = parser.getCurrentLocation();
  FailureOr<Dim> sum = Dim(0);
  bool isNegative = succeeded(parser.parseOptionalMinus()), isPositive = !isNegative;
  while (succeeded(sum) && (isNegative || isPositive)) {
    FailureOr<Dim> term = parseProduct(parser, parseFactor(parser));
    if (failed(term))
      return failure();
    sum = isNegative ? *sum - *term : *sum + *term;
    isPositive = succeeded(parser.parseOptionalPlus());
    isNegative = !isPositive && succeeded(parser.parseOptionalMinus());
  }
  llvm::SMLoc end = parser.getCurrentLocation();
  if (int64_t value; succeeded(sum) && parser.parseOptionalInteger(value).has_value())
    return parser.emitError(end, "expected '+', '-' or '*' between dimensions"), failure();
  bool isLeast = succeeded(sum) && sum->isStatic(std::numeric_limits<int64_t>::min()); // means an unknown extent
  if (succeeded(sum) && (sum->isUnknown() || isLeast))
    return parser.emitError(start, "the coefficients of this dimension overflow 64 bits"), failure();
  return sum;
}

static FailureOr<SmallVector<DimAttr>> parseDimList(AsmParser &parser, AsmParser::Delimiter delimiter) {
  SmallVector<DimAttr> dims;
  auto one = [&]() -> ParseResult {
    FailureOr<Dim> dim = parseDim(parser);
    if (failed(dim))
      return failure();
    dims.push_back(dim->toAttr(parser.getContext()));
    return success();
  };
  if (parser.parseCommaSeparatedList(delimiter, one))
    return failure();
  return dims;
}

ParseResult lathe::parseTypes(OpAsmParser &parser, Type &first, Type &second) {
  if (parser.parseType(first))
    return failure();
  second = first;
  if (succeeded(parser.parseOptionalComma()))
    return parser.parseType(second);
  return success();
}

void lathe::printTypes(OpAsmPrinter &printer, Operation *, Type first, Type second) {
  printer << first;
  if (first != second)
    printer << ", " << second;
}

ParseResult lathe::parseTypes(OpAsmParser &parser, Type &first, Type &second, Type &third) {
  if (parser.parseType(first))
    return failure();
  second = third = first;
  if (succeeded(parser.parseOptionalComma()))
    return failure(parser.parseType(second) || parser.parseComma() || parser.parseType(third));
  return success();
}

void lathe::printTypes(OpAsmPrinter &printer, Operation *, Type first, Type second, Type third) {
  printer << first;
  if (first != second || first != third)
    printer << ", " << second << ", " << third;
}

ParseResult lathe::parseTypeList(OpAsmParser &parser, SmallVectorImpl<Type> &types) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] { return parser.parseType(types.emplace_back()); });
}

void lathe::printTypeList(OpAsmPrinter &printer, Operation *, TypeRange types) { printer << '(' << types << ')'; }

ParseResult lathe::parseShape(AsmParser &parser, ShapeAttr &shape) {
  FailureOr<SmallVector<DimAttr>> dims = parseDimList(parser, AsmParser::Delimiter::Square);
  if (failed(dims))
    return failure();
  shape = ShapeAttr::get(parser.getContext(), *dims);
  return success();
}

ParseResult lathe::parseCount(AsmParser &parser, ShapeAttr &count) {
  FailureOr<Dim> dim = parseDim(parser);
  if (failed(dim))
    return failure();
  count = shapeOf(parser.getContext(), *dim);
  return success();
}

void lathe::printCount(AsmPrinter &printer, Operation *, ShapeAttr count) { printer << dimsOf(count).front().str(); }

ParseResult lathe::parseAxis(AsmParser &parser, StringAttr &axis, ShapeAttr &size) {
  std::string name;
  if (parser.parseKeyword("over") || parser.parseKeywordOrString(&name))
    return failure();
  axis = parser.getBuilder().getStringAttr(name);
  size = shapeOf(parser.getContext(), Dim::named(name));
  return failed(parser.parseOptionalEqual()) ? ParseResult(success()) : parseCount(parser, size);
}

void lathe::printAxis(AsmPrinter &printer, Operation *op, StringAttr axis, ShapeAttr size) {
  printer << "over ";
  printer.printKeywordOrString(axis);
  if (dimsOf(size).front() == Dim::named(axis))
    return;
  printer << " = ";
  printCount(printer, op, size);
}

void lathe::printShape(AsmPrinter &printer, Operation *, ShapeAttr shape) { printer << str(dimsOf(shape)); }

ParseResult lathe::parseIntegers(AsmParser &parser, SmallVectorImpl<int64_t> &list) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&]() -> ParseResult { return parser.parseInteger(list.emplace_back()); });
}

static ParseResult parseOptionalList(OpAsmParser &parser, StringRef keyword, DenseI64ArrayAttr &list, size_t size,
                                     int64_t fill) {
  if (failed(parser.parseOptionalKeyword(keyword))) {
    list = parser.getBuilder().getDenseI64ArrayAttr(SmallVector<int64_t>(size, fill));
    return success();
  }
  list = dyn_cast_or_null<DenseI64ArrayAttr>(DenseI64ArrayAttr::parse(parser, Type()));
  return success(list != nullptr);
}

static void printOptionalList(OpAsmPrinter &printer, StringRef keyword, DenseI64ArrayAttr list, int64_t fill) {
  if (llvm::all_of(list.asArrayRef(), [&](int64_t value) { return value == fill; }))
    return;
  printer << keyword << ' ';
  list.print(printer);
}

ParseResult lathe::parseSteps(OpAsmParser &parser, DenseI64ArrayAttr &steps, ShapeAttr starts) {
  return parseOptionalList(parser, "step", steps, starts.getDims().size(), 1);
}
void lathe::printSteps(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr steps, ShapeAttr) {
  printOptionalList(printer, "step", steps, 1);
}

ParseResult lathe::parseInterior(OpAsmParser &parser, DenseI64ArrayAttr &interior, ShapeAttr low) {
  return parseOptionalList(parser, "interior", interior, low.getDims().size(), 0);
}
void lathe::printInterior(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr interior, ShapeAttr) {
  printOptionalList(printer, "interior", interior, 0);
}

ParseResult lathe::parsePadding(OpAsmParser &parser, SmallVectorImpl<int64_t> &low, SmallVectorImpl<int64_t> &high) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() -> ParseResult {
    return failure(parser.parseLSquare() || parser.parseInteger(low.emplace_back()) || parser.parseComma() ||
                   parser.parseInteger(high.emplace_back()) || parser.parseRSquare());
  });
}
void lathe::printPadding(OpAsmPrinter &printer, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  printer << '[';
  llvm::interleaveComma(llvm::zip_equal(low, high), printer,
                        [&](auto pair) { printer << '[' << std::get<0>(pair) << ", " << std::get<1>(pair) << ']'; });
  printer << ']';
}

ParseResult lathe::parseWindow(OpAsmParser &parser, WindowAttr &window) {
  DenseI64ArrayAttr size, stride, dilation, baseDilation;
  SmallVector<int64_t> low, high;
  if (parser.parseKeyword("window") ||
      !(size = dyn_cast_or_null<DenseI64ArrayAttr>(DenseI64ArrayAttr::parse(parser, Type()))) ||
      parseOptionalList(parser, "stride", stride, size.size(), 1))
    return failure();
  if (failed(parser.parseOptionalKeyword("pad")))
    low = high = SmallVector<int64_t>(size.size(), 0);
  else if (parsePadding(parser, low, high))
    return failure();
  if (parseOptionalList(parser, "dilation", dilation, size.size(), 1) ||
      parseOptionalList(parser, "base_dilation", baseDilation, size.size(), 1))
    return failure();
  Builder &builder = parser.getBuilder();
  window = WindowAttr::get(parser.getContext(), size, stride, dilation, baseDilation, builder.getDenseI64ArrayAttr(low),
                           builder.getDenseI64ArrayAttr(high));
  return success();
}
void lathe::printWindow(OpAsmPrinter &printer, Operation *, WindowAttr window) {
  auto isZero = [](int64_t value) { return value == 0; };
  printer << "window ";
  window.getSize().print(printer);
  printOptionalList(printer, " stride", window.getStride(), 1);
  if (!llvm::all_of(window.getLow().asArrayRef(), isZero) || !llvm::all_of(window.getHigh().asArrayRef(), isZero)) {
    printer << " pad ";
    printPadding(printer, window.getLow(), window.getHigh());
  }
  printOptionalList(printer, " dilation", window.getDilation(), 1);
  printOptionalList(printer, " base_dilation", window.getBaseDilation(), 1);
}

ParseResult lathe::parseBatch(OpAsmParser &parser, DenseI64ArrayAttr &lhs, DenseI64ArrayAttr &rhs) {
  lhs = rhs = parser.getBuilder().getDenseI64ArrayAttr({});
  if (failed(parser.parseOptionalKeyword("batch")))
    return success();
  lhs = dyn_cast_or_null<DenseI64ArrayAttr>(DenseI64ArrayAttr::parse(parser, Type()));
  if (!lhs || parser.parseKeyword("x"))
    return failure();
  rhs = dyn_cast_or_null<DenseI64ArrayAttr>(DenseI64ArrayAttr::parse(parser, Type()));
  return success(rhs != nullptr);
}
void lathe::printBatch(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr lhs, DenseI64ArrayAttr rhs) {
  if (lhs.empty())
    return;
  printer << "batch ";
  lhs.print(printer);
  printer << " x ";
  rhs.print(printer);
}

ParseResult lathe::parseBatchDims(OpAsmParser &parser, DenseI64ArrayAttr &dims) {
  SmallVector<int64_t> entries;
  auto one = [&]() -> ParseResult {
    if (succeeded(parser.parseOptionalKeyword("none"))) {
      entries.push_back(VmapOp::kShared);
      return success();
    }
    llvm::SMLoc place = parser.getCurrentLocation();
    if (parser.parseInteger(entries.emplace_back()))
      return failure();
    if (entries.back() < 0)
      return parser.emitError(place, "expected a dimension or none, got ") << entries.back();
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, one))
    return failure();
  dims = parser.getBuilder().getDenseI64ArrayAttr(entries);
  return success();
}
void lathe::printBatchDims(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr dims) {
  printer << '[';
  llvm::interleaveComma(dims.asArrayRef(), printer, [&](int64_t dim) {
    if (dim == VmapOp::kShared)
      printer << "none";
    else
      printer << dim;
  });
  printer << ']';
}

// ---- Attributes

llvm::raw_ostream &lathe::operator<<(llvm::raw_ostream &out, const Real &real) {
  char text[40];
  auto [end, error] = std::to_chars(text, text + sizeof(text), real.value);
  llvm::StringRef digits(text, end - text);
  if (digits.find_first_of(".n") != llvm::StringRef::npos) // has a point, or is nan or inf
    return out << digits;
  auto [mantissa, exponent] = digits.split('e'); // MLIR's lexer requires a point in every number
  out << mantissa << ".0";
  return exponent.empty() ? out : out << 'e' << exponent;
}

Attribute DimAttr::parse(AsmParser &parser, Type) {
  if (parser.parseLess())
    return {};
  FailureOr<Dim> dim = parseDim(parser);
  if (failed(dim) || parser.parseGreater())
    return {};
  return dim->toAttr(parser.getContext());
}
void DimAttr::print(AsmPrinter &printer) const { printer << '<' << Dim::fromAttr(*this).str() << '>'; }

Attribute ShapeAttr::parse(AsmParser &parser, Type) {
  ShapeAttr shape;
  if (parser.parseLess() || parseShape(parser, shape) || parser.parseGreater())
    return {};
  return shape;
}
void ShapeAttr::print(AsmPrinter &printer) const { printer << '<' << str(dimsOf(*this)) << '>'; }

Attribute DimsAttr::parse(AsmParser &parser, Type) {
  FailureOr<SmallVector<DimAttr>> dims = parseDimList(parser, AsmParser::Delimiter::LessGreater);
  return failed(dims) ? Attribute() : DimsAttr::get(parser.getContext(), *dims);
}
void DimsAttr::print(AsmPrinter &printer) const {
  printer << '<';
  llvm::interleaveComma(getDims(), printer, [&](DimAttr dim) { printer << Dim::fromAttr(dim).str(); });
  printer << '>';
}

LogicalResult DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type, function_ref<InFlightDiagnostic()> emitError) const {
  size_t dynamic = llvm::count_if(shape, [](int64_t extent) { return ShapedType::isDynamic(extent); });
  if (dynamic != getDims().size())
    return emitError() << "lathe.dims names " << getDims().size() << " dimensions of a type with " << dynamic
                       << " dynamic ones";
  return success();
}

ParseResult lathe::parseBindings(OpAsmParser &parser, SmallVectorImpl<OpAsmParser::Argument> &arguments,
                                 SmallVectorImpl<OpAsmParser::UnresolvedOperand> &operands) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    return failure(parser.parseArgument(argument) || parser.parseEqual() || parser.parseOperand(operands.emplace_back()) ||
                   parser.parseColonType(argument.type));
  });
}

void lathe::printBindings(OpAsmPrinter &printer, Block::BlockArgListType arguments, ValueRange operands) {
  printer << '(';
  llvm::interleaveComma(llvm::zip_equal(arguments, operands), printer, [&](auto pair) {
    auto [argument, operand] = pair;
    printer << argument << " = " << operand << " : " << operand.getType();
  });
  printer << ')';
}

// ---- Results of naming ops

ParseResult lathe::addNamedResult(OpAsmParser &parser, OperationState &state, RankedTensorType inferred) {
  if (failed(parser.parseOptionalArrow())) {
    state.addTypes(RankedTensorType::get(inferred.getShape(), inferred.getElementType()));
    return success();
  }
  Type declared;
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseType(declared))
    return failure();
  if (!equalButForNames(inferred, declared))
    return parser.emitError(place, "the result is declared as ") << declared << ", inferred is " << inferred;
  state.addTypes(declared);
  return success();
}

void lathe::printNamedResult(OpAsmPrinter &printer, Value result) {
  if (cast<RankedTensorType>(result.getType()).getEncoding())
    printer << " -> " << result.getType();
}
