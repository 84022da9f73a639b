// The syntax of convolutions: which dimension is what, and the window.
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/StableHLO/Syntax.h"

using namespace mlir;
using namespace lathe;

namespace {
/// The names of the dimensions of one tensor: the letters of those that are not spatial, and what they are called.
struct Side {
  StringRef name, first, firstField, second, secondField;
};
} // namespace

static const Side kSides[] = {{"input", "b", "input_batch_dimension", "f", "input_feature_dimension"},
                              {"kernel", "i", "kernel_input_feature_dimension", "o", "kernel_output_feature_dimension"},
                              {"output", "b", "output_batch_dimension", "f", "output_feature_dimension"}};

static std::string spatialField(const Side &side) { return (side.name + "_spatial_dimensions").str(); }

/// Parses `[b, 0, 1, f]`.
static ParseResult parseSide(AsmParser &parser, const Side &side, NamedAttrList &fields) {
  Builder builder(parser.getContext());
  std::map<int64_t, int64_t> spatial;
  int64_t dim = 0;
  SMLoc place = parser.getCurrentLocation();
  auto parseOne = [&]() -> ParseResult {
    int64_t number;
    StringRef letter;
    OptionalParseResult found = parser.parseOptionalInteger(number);
    if (found.has_value()) {
      if (failed(*found))
        return failure();
      spatial[number] = dim++;
      return success();
    }
    if (parser.parseKeyword(&letter))
      return failure();
    if (letter != side.first && letter != side.second)
      return parser.emitError(place, "expected '")
             << side.first << "', '" << side.second << "' or a number, got '" << letter << "'";
    fields.set(letter == side.first ? side.firstField : side.secondField, builder.getDenseI64ArrayAttr(dim++));
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parseOne))
    return failure();
  SmallVector<int64_t> places;
  for (auto [number, at] : spatial)
    places.push_back(at);
  fields.set(spatialField(side), builder.getDenseI64ArrayAttr(places));
  if (!fields.get(side.firstField) || !fields.get(side.secondField))
    return parser.emitError(place, "expected both '") << side.first << "' and '" << side.second << "'";
  return success();
}

ParseResult lathe::parseConvolutionDimensions(AsmParser &parser, DictionaryAttr &numbers) {
  NamedAttrList fields;
  if (parseSide(parser, kSides[0], fields) || parser.parseKeyword("x") || parseSide(parser, kSides[1], fields) ||
      parser.parseArrow() || parseSide(parser, kSides[2], fields))
    return failure();
  numbers = fields.getDictionary(parser.getContext());
  return success();
}

void lathe::printConvolutionDimensions(OpAsmPrinter &printer, Operation *, DictionaryAttr numbers) {
  for (auto [i, side] : llvm::enumerate(kSides)) {
    ArrayRef<int64_t> spatial = numbersIn(numbers, spatialField(side));
    SmallVector<std::string> names(spatial.size() + 2);
    auto name = [&](int64_t at, StringRef text) {
      if (at >= 0 && at < int64_t(names.size()))
        names[at] = text.str();
    };
    name(numberIn(numbers, side.firstField), side.first);
    name(numberIn(numbers, side.secondField), side.second);
    for (auto [number, at] : llvm::enumerate(spatial))
      name(at, std::to_string(number));
    printer << (i == 0 ? "[" : i == 1 ? "x[" : "->[");
    llvm::interleaveComma(names, printer);
    printer << "]";
  }
}

ParseResult lathe::parseConvolutionWindow(OpAsmParser &parser, DenseI64ArrayAttr &strides, DenseIntElementsAttr &padding,
                                          DenseI64ArrayAttr &lhsDilation, DenseI64ArrayAttr &rhsDilation,
                                          DenseBoolArrayAttr &reversal) {
  Builder &builder = parser.getBuilder();
  auto parseBool = [&](SmallVectorImpl<bool> &list) -> ParseResult {
    bool isTrue = succeeded(parser.parseOptionalKeyword("true"));
    int64_t number = 0;
    if (!isTrue && failed(parser.parseOptionalKeyword("false")) && parser.parseInteger(number))
      return failure();
    list.push_back(isTrue || number);
    return success();
  };
  StringRef part;
  while (succeeded(parser.parseOptionalKeyword(&part))) {
    SmallVector<int64_t> list, pads;
    SmallVector<bool> flags;
    if (parser.parseEqual())
      return failure();
    if (part == "pad") {
      auto parsePair = [&]() -> ParseResult {
        if (parseList(parser, list))
          return failure();
        pads.append(list);
        return success();
      };
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, parsePair))
        return failure();
      padding = DenseIntElementsAttr::get(RankedTensorType::get({int64_t(pads.size() / 2), 2}, builder.getI64Type()),
                                          ArrayRef<int64_t>(pads));
    } else if (part == "reverse") {
      if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return parseBool(flags); }))
        return failure();
      reversal = builder.getDenseBoolArrayAttr(flags);
    } else if (parseList(parser, list)) {
      return failure();
    } else {
      (part == "stride" ? strides : part == "lhs_dilate" ? lhsDilation : rhsDilation) = builder.getDenseI64ArrayAttr(list);
    }
    if (failed(parser.parseOptionalComma()))
      break;
  }
  return success();
}

void lathe::printConvolutionWindow(OpAsmPrinter &printer, Operation *, DenseI64ArrayAttr strides, DenseIntElementsAttr padding,
                                   DenseI64ArrayAttr lhsDilation, DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal) {
  bool isFirst = true;
  auto begin = [&](StringRef name) { printer << (std::exchange(isFirst, false) ? "" : ", ") << name << " = ["; };
  auto list = [&](StringRef name, DenseI64ArrayAttr numbers) {
    if (!numbers)
      return;
    begin(name);
    llvm::interleaveComma(numbers.asArrayRef(), printer);
    printer << "]";
  };
  list("stride", strides);
  if (padding) {
    begin("pad");
    auto numbers = llvm::to_vector(padding.getValues<int64_t>());
    for (size_t i = 0; i + 1 < numbers.size(); i += 2)
      printer << (i ? ", [" : "[") << numbers[i] << ", " << numbers[i + 1] << "]";
    printer << "]";
  }
  list("lhs_dilate", lhsDilation);
  list("rhs_dilate", rhsDilation);
  if (reversal) {
    begin("reverse");
    llvm::interleaveComma(reversal.asArrayRef(), printer, [&](bool flag) { printer << (flag ? "true" : "false"); });
    printer << "]";
  }
}
