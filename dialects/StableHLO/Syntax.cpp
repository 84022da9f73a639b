#include "dialects/StableHLO/Syntax.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;

ParseResult lathe::parseList(AsmParser &parser, SmallVectorImpl<int64_t> &numbers) {
  numbers.clear();
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                        [&] { return parser.parseInteger(numbers.emplace_back()); });
}

static void printList(OpAsmPrinter &printer, ArrayRef<int64_t> numbers) {
  printer << "[";
  llvm::interleaveComma(numbers, printer);
  printer << "]";
}

// ---- Types

ParseResult lathe::parseEqualTypesList(OpAsmParser &parser, ArrayRef<Type *> types) {
  Type type;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseType(type))
    return failure();
  auto function = dyn_cast<FunctionType>(type);
  if (function && (function.getNumInputs() + 1 != types.size() || function.getNumResults() != 1))
    return parser.emitError(place, "expected the types of ") << types.size() - 1 << " operands and one result";
  for (auto [i, each] : llvm::enumerate(types))
    *each = !function ? type : i < function.getNumInputs() ? function.getInput(i) : function.getResult(0);
  return success();
}

void lathe::printEqualTypesList(OpAsmPrinter &printer, ArrayRef<Type> types) {
  if (llvm::all_equal(types))
    printer << types[0];
  else
    printer.printFunctionalType(types.drop_back(), types.take_back());
}

ParseResult lathe::parseComplexTypes(OpAsmParser &parser, Type &lhs, Type &rhs, Type &result) {
  if (parseEqualTypes(parser, lhs, rhs, result))
    return failure();
  auto tensor = dyn_cast<RankedTensorType>(result);
  auto complex = tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  if (complex && lhs == result)
    lhs = rhs = tensor.clone(complex.getElementType());
  return success();
}

void lathe::printComplexTypes(OpAsmPrinter &printer, Operation *, Type lhs, Type rhs, Type result) {
  printer.printFunctionalType(TypeRange({lhs, rhs}), TypeRange(result));
}

ParseResult lathe::parseVariadicEqualTypes(OpAsmParser &parser, const Operands &operands, Types &types, Type &result) {
  types.resize(operands.size());
  SmallVector<Type *> all(llvm::make_pointer_range(types));
  all.push_back(&result);
  return parseEqualTypesList(parser, all);
}

void lathe::printVariadicEqualTypes(OpAsmPrinter &printer, Operation *, ValueRange, TypeRange types, Type result) {
  SmallVector<Type> all(types);
  all.push_back(result);
  printEqualTypesList(printer, all);
}

ParseResult lathe::parseSelectTypes(OpAsmParser &parser, Type &predicate, Type &onTrue, Type &onFalse, Type &result) {
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type)) {
    if (function.getNumInputs() != 3 || function.getNumResults() != 1)
      return parser.emitError(parser.getCurrentLocation(), "expected the types of 3 operands and one result");
    predicate = function.getInput(0);
    onTrue = function.getInput(1);
    onFalse = function.getInput(2);
    result = function.getResult(0);
    return success();
  }
  predicate = type;
  if (parser.parseComma() || parser.parseType(result))
    return failure();
  onTrue = onFalse = result;
  return success();
}

void lathe::printSelectTypes(OpAsmPrinter &printer, Operation *, Type predicate, Type onTrue, Type onFalse, Type result) {
  if (onTrue == result && onFalse == result)
    printer << predicate << ", " << result;
  else
    printer.printFunctionalType(TypeRange({predicate, onTrue, onFalse}), TypeRange(result));
}

ParseResult lathe::parsePairedTypes(OpAsmParser &parser, Types &operands, Types &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}

void lathe::printPairedTypes(OpAsmPrinter &printer, Operation *, TypeRange operands, TypeRange) {
  llvm::interleaveComma(operands, printer);
}

ParseResult lathe::parseTupleTypes(OpAsmParser &parser, Types &operands, Type &result) {
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(parser.getCurrentLocation(), "expected a tuple");
  llvm::append_range(operands, tuple.getTypes());
  return success();
}

void lathe::printTupleTypes(OpAsmPrinter &printer, Operation *, TypeRange, Type result) { printer << result; }

// ---- Operands and attributes

ParseResult lathe::parseOperandsBefore(OpAsmParser &parser, Operands &operands) {
  OpAsmParser::UnresolvedOperand operand;
  for (OptionalParseResult found; (found = parser.parseOptionalOperand(operand)).has_value();) {
    if (failed(*found) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
  return success();
}

void lathe::printOperandsBefore(OpAsmPrinter &printer, Operation *, ValueRange operands) {
  for (Value operand : operands)
    printer << operand << ", ";
}

ParseResult lathe::parseWord(OpAsmParser &parser, StringAttr &word) {
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  word = parser.getBuilder().getStringAttr(text);
  return success();
}

void lathe::printWord(OpAsmPrinter &printer, Operation *, StringAttr word) { printer << word.getValue(); }
ParseResult lathe::parseOptionalWord(OpAsmParser &parser, StringAttr &word) { return parseWord(parser, word); }
void lathe::printOptionalWord(OpAsmPrinter &printer, Operation *op, StringAttr word) { printWord(printer, op, word); }

ParseResult lathe::parseFloatFormat(OpAsmParser &parser, IntegerAttr &exponent, IntegerAttr &mantissa) {
  StringRef text;
  SMLoc place = parser.getCurrentLocation();
  int bits[2];
  if (parser.parseKeyword(&text))
    return failure();
  auto [first, second] = text.split('m');
  if (!first.consume_front("e") || first.getAsInteger(10, bits[0]) || second.getAsInteger(10, bits[1]))
    return parser.emitError(place, "expected a format of floats, such as e5m10");
  exponent = parser.getBuilder().getI32IntegerAttr(bits[0]);
  mantissa = parser.getBuilder().getI32IntegerAttr(bits[1]);
  return success();
}

void lathe::printFloatFormat(OpAsmPrinter &printer, Operation *, IntegerAttr exponent, IntegerAttr mantissa) {
  printer << "e" << exponent.getInt() << "m" << mantissa.getInt();
}

ParseResult lathe::parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &starts, DenseI64ArrayAttr &limits,
                                    DenseI64ArrayAttr &strides) {
  SmallVector<int64_t> lists[3];
  auto parseRange = [&]() -> ParseResult {
    if (parser.parseInteger(lists[0].emplace_back()) || parser.parseColon() || parser.parseInteger(lists[1].emplace_back()))
      return failure();
    lists[2].push_back(1);
    return failed(parser.parseOptionalColon()) ? success() : parser.parseInteger(lists[2].back());
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseRange))
    return failure();
  starts = parser.getBuilder().getDenseI64ArrayAttr(lists[0]);
  limits = parser.getBuilder().getDenseI64ArrayAttr(lists[1]);
  strides = parser.getBuilder().getDenseI64ArrayAttr(lists[2]);
  return success();
}

void lathe::printSliceRanges(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr starts, DenseI64ArrayAttr limits,
                             DenseI64ArrayAttr strides) {
  printer << "[";
  llvm::interleaveComma(llvm::zip(starts.asArrayRef(), limits.asArrayRef(), strides.asArrayRef()), printer, [&](auto range) {
    auto [start, limit, stride] = range;
    printer << start << ":" << limit;
    if (stride != 1)
      printer << ":" << stride;
  });
  printer << "]";
}

ParseResult lathe::parseIgnoredStability(OpAsmParser &parser, IntegerAttr) {
  if (failed(parser.parseOptionalComma()))
    return success();
  Attribute value;
  return failure(parser.parseKeyword("is_stable") || parser.parseEqual() || parser.parseAttribute(value));
}

ParseResult lathe::parseCallTarget(OpAsmParser &parser, StringAttr &target) { return parser.parseSymbolName(target); }

void lathe::printCallTarget(OpAsmPrinter &printer, Operation *, StringAttr target) {
  printer.printSymbolName(target.getValue());
}

// ---- Products

/// Parses the words of `= [DEFAULT, HIGH]`.
static ParseResult parseWords(OpAsmParser &parser, ArrayAttr &words) {
  SmallVector<Attribute> list;
  auto parseOne = [&]() -> ParseResult {
    StringAttr word;
    if (parseWord(parser, word))
      return failure();
    list.push_back(word);
    return success();
  };
  if (parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  words = parser.getBuilder().getArrayAttr(list);
  return success();
}

ParseResult lathe::parsePrecision(OpAsmParser &parser, ArrayAttr &precision) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("precision") || parseWords(parser, precision));
}

void lathe::printPrecision(OpAsmPrinter &printer, Operation *, ArrayAttr precision) {
  if (!precision)
    return;
  printer << ", precision = [";
  llvm::interleaveComma(precision.getAsValueRange<StringAttr>(), printer);
  printer << "]";
}

/// Parses `<name = type-or-number, ...>` and keeps its words.
static ParseResult parseAlgorithm(OpAsmParser &parser, Attribute &algorithm) {
  NamedAttrList fields;
  auto parseField = [&]() -> ParseResult {
    StringRef name, word;
    int64_t number;
    Type type;
    if (parser.parseKeyword(&name) || parser.parseEqual())
      return failure();
    Attribute value;
    if (OptionalParseResult found = parser.parseOptionalType(type); found.has_value()) {
      if (failed(*found))
        return failure();
      value = TypeAttr::get(type);
    } else if (found = parser.parseOptionalInteger(number); found.has_value()) {
      if (failed(*found))
        return failure();
      value = parser.getBuilder().getI64IntegerAttr(number);
    } else if (parser.parseKeyword(&word)) {
      return failure();
    } else {
      value = parser.getBuilder().getStringAttr(word);
    }
    fields.append(name, value);
    return success();
  };
  if (parser.parseEqual() || parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseField))
    return failure();
  algorithm = fields.getDictionary(parser.getContext());
  return success();
}

ParseResult lathe::parsePrecisionAndAlgorithm(OpAsmParser &parser, ArrayAttr &precision, Attribute &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    bool isAlgorithm = succeeded(parser.parseOptionalKeyword("algorithm"));
    if (isAlgorithm ? parseAlgorithm(parser, algorithm).failed()
                    : parser.parseKeyword("precision") || parseWords(parser, precision))
      return failure();
  }
  return success();
}

void lathe::printPrecisionAndAlgorithm(OpAsmPrinter &printer, Operation *op, ArrayAttr precision, Attribute) {
  printPrecision(printer, op, precision);
}

ParseResult lathe::parseDotDimensions(OpAsmParser &parser, DictionaryAttr &numbers) {
  NamedAttrList fields;
  auto parsePair = [&](StringRef kind) -> ParseResult {
    SmallVector<int64_t> lhs, rhs;
    if (parser.parseEqual() || parseList(parser, lhs) || parser.parseKeyword("x") || parseList(parser, rhs))
      return failure();
    fields.append(("lhs_" + kind + "_dimensions").str(), parser.getBuilder().getDenseI64ArrayAttr(lhs));
    fields.append(("rhs_" + kind + "_dimensions").str(), parser.getBuilder().getDenseI64ArrayAttr(rhs));
    return success();
  };
  if (succeeded(parser.parseOptionalKeyword("batching_dims")) && (parsePair("batching") || parser.parseComma()))
    return failure();
  if (parser.parseKeyword("contracting_dims") || parsePair("contracting"))
    return failure();
  numbers = fields.getDictionary(parser.getContext());
  return success();
}

void lathe::printDotDimensions(OpAsmPrinter &printer, Operation *, DictionaryAttr numbers) {
  auto list = [&](StringRef name) {
    auto given = numbers.getAs<DenseI64ArrayAttr>(name);
    printList(printer, given ? given.asArrayRef() : ArrayRef<int64_t>());
  };
  if (numbers.get("lhs_batching_dimensions")) {
    printer << "batching_dims = ";
    list("lhs_batching_dimensions");
    printer << " x ";
    list("rhs_batching_dimensions");
    printer << ", ";
  }
  printer << "contracting_dims = ";
  list("lhs_contracting_dimensions");
  printer << " x ";
  list("rhs_contracting_dimensions");
}
