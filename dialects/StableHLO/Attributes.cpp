// Reads the dialects' attributes and types as MLIR's own: words as strings, dimension numbers as dictionaries of lists.
#include "dialects/StableHLO/Dialects.h"
#include "dialects/StableHLO/Syntax.h"

using namespace mlir;
using namespace lathe;

ArrayRef<int64_t> lathe::numbersIn(DictionaryAttr dimensions, StringRef name) {
  auto list = dimensions ? dimensions.getAs<DenseI64ArrayAttr>(name) : DenseI64ArrayAttr();
  return list ? list.asArrayRef() : ArrayRef<int64_t>();
}

int64_t lathe::numberIn(DictionaryAttr dimensions, StringRef name, int64_t otherwise) {
  ArrayRef<int64_t> list = numbersIn(dimensions, name);
  return list.size() == 1 ? list[0] : otherwise;
}

/// Parses `<name = [1, 2], other = 3>` after a mnemonic.
static Attribute parseNumbers(AsmParser &parser) {
  NamedAttrList fields;
  Builder builder(parser.getContext());
  auto parseField = [&]() -> ParseResult {
    std::string name;
    SmallVector<int64_t> numbers(1);
    if (parser.parseKeywordOrString(&name) || parser.parseEqual())
      return failure();
    OptionalParseResult number = parser.parseOptionalInteger(numbers[0]);
    if (number.has_value() ? failed(*number) : failed(parseList(parser, numbers)))
      return failure();
    fields.append(name, builder.getDenseI64ArrayAttr(numbers));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, parseField))
    return {};
  return fields.getDictionary(parser.getContext());
}

/// Parses the dimension numbers of a convolution: `<[b, 0, f]x[0, i, o]->[b, 0, f]>` or `<raw input_batch_dimension = 0, ...>`.
static Attribute parseConvolution(AsmParser &parser) {
  DictionaryAttr numbers;
  if (parser.parseLess())
    return {};
  if (succeeded(parser.parseOptionalKeyword("raw"))) {
    NamedAttrList fields;
    do {
      StringRef name;
      SmallVector<int64_t> list(1);
      if (parser.parseKeyword(&name) || parser.parseEqual())
        return {};
      OptionalParseResult number = parser.parseOptionalInteger(list[0]);
      if (number.has_value() ? failed(*number) : failed(parseList(parser, list)))
        return {};
      fields.append(name, DenseI64ArrayAttr::get(parser.getContext(), list));
    } while (succeeded(parser.parseOptionalComma()));
    numbers = fields.getDictionary(parser.getContext());
  } else if (parseConvolutionDimensions(parser, numbers)) {
    return {};
  }
  return parser.parseGreater() ? Attribute() : Attribute(numbers);
}

/// Parses an attribute of either dialect. An attribute that import ignores is read as its text.
static Attribute parseAny(DialectAsmParser &parser) {
  StringRef mnemonic, word, spec = parser.getFullSymbolSpec();
  if (parser.parseKeyword(&mnemonic))
    return {};
  if (mnemonic == "gather" || mnemonic == "scatter" || mnemonic == "dot" || mnemonic == "ragged_dot")
    return parseNumbers(parser);
  if (mnemonic == "conv")
    return parseConvolution(parser);
  for (StringRef kind :
       {"comparison_direction", "comparison_type", "precision", "fft_type", "transpose", "rng_distribution", "rng_algorithm"})
    if (kind == mnemonic)
      return parser.parseKeyword(&word) ? Attribute() : StringAttr::get(parser.getContext(), word);
  return StringAttr::get(parser.getContext(), spec);
}

Attribute stablehlo::StableHLODialect::parseAttribute(DialectAsmParser &parser, Type type) const { return parseAny(parser); }
Attribute chlo::ChloDialect::parseAttribute(DialectAsmParser &parser, Type type) const { return parseAny(parser); }

Type stablehlo::StableHLODialect::parseType(DialectAsmParser &parser) const {
  StringRef name;
  return parser.parseKeyword(&name) ? Type() : NoneType::get(parser.getContext()); // a token, for example
}

// There are no attributes and types of the dialects to print.
void stablehlo::StableHLODialect::printAttribute(Attribute, DialectAsmPrinter &) const {}
void stablehlo::StableHLODialect::printType(Type, DialectAsmPrinter &) const {}
void chlo::ChloDialect::printAttribute(Attribute, DialectAsmPrinter &) const {}
