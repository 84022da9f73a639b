#include "dialects/Lathe/Std/Options.h"
#include "dialects/Lathe/IR/Real.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::composites;

static Attribute parseList(AsmParser &parser) {
  SmallVector<int64_t> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] { return parser.parseInteger(list.emplace_back()); }))
    return {};
  return parser.getBuilder().getDenseI64ArrayAttr(list);
}

static Attribute parseChoice(AsmParser &parser, const Parameter &parameter) {
  llvm::SMLoc place = parser.getCurrentLocation();
  StringRef word;
  if (parser.parseKeyword(&word))
    return {};
  if (!llvm::is_contained(parameter.choices, word))
    return parser.emitError(place, "'") << parameter.name << "' must be " << parameter.describe() << ", got " << word,
           Attribute();
  return parser.getBuilder().getStringAttr(word);
}

/// Parses `sqrt` or `every 16`, as text.
static Attribute parseCheckpoint(AsmParser &parser) {
  int64_t steps;
  if (succeeded(parser.parseOptionalKeyword("sqrt")))
    return parser.getBuilder().getStringAttr("sqrt");
  if (parser.parseKeyword("every", ": expected 'sqrt' or 'every' with a number"))
    return {};
  llvm::SMLoc place = parser.getCurrentLocation();
  if (parser.parseInteger(steps))
    return {};
  if (steps < 1)
    return parser.emitError(place, "'checkpoint every' is ") << steps << ", expected a positive number of steps", Attribute();
  return parser.getBuilder().getStringAttr("every " + Twine(steps));
}

static Attribute parseFunction(AsmParser &parser) {
  StringAttr name;
  return parser.parseSymbolName(name) ? Attribute() : FlatSymbolRefAttr::get(name);
}

Attribute lathe::composites::parseOption(AsmParser &parser, const Parameter &parameter) {
  Builder &builder = parser.getBuilder();
  int64_t integer;
  double real;
  switch (parameter.kind) {
  case Parameter::Kind::Flag:
    return builder.getUnitAttr();
  case Parameter::Kind::Dims:
  case Parameter::Kind::Ints:
    return parseList(parser);
  case Parameter::Kind::Choice:
    return parseChoice(parser, parameter);
  case Parameter::Kind::Real:
    return parser.parseFloat(real) ? Attribute() : builder.getF64FloatAttr(real);
  case Parameter::Kind::Checkpoint:
    return parseCheckpoint(parser);
  case Parameter::Kind::Function:
    return parseFunction(parser);
  default:
    return parser.parseInteger(integer) ? Attribute() : builder.getI64IntegerAttr(integer);
  }
}

void lathe::composites::printOption(AsmPrinter &printer, Attribute option) {
  if (auto list = dyn_cast<DenseI64ArrayAttr>(option))
    list.print(printer);
  else if (auto word = dyn_cast<StringAttr>(option))
    printer << word.getValue();
  else if (auto function = dyn_cast<FlatSymbolRefAttr>(option))
    printer << function;
  else if (auto real = dyn_cast<FloatAttr>(option))
    printer << Real(real.getValueAsDouble());
  else if (auto integer = dyn_cast<IntegerAttr>(option))
    printer << integer.getInt();
}

std::string lathe::composites::hintFor(StringRef name) {
  const Template *best = nullptr;
  unsigned distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const Template &each : library())
    if (unsigned edits = name.edit_distance(each.name, true, distance); edits < distance)
      best = &each, distance = edits;
  return best ? "; did you mean " + best->name + "?" : "; docs/std.md lists the library";
}
