#include "dialects/Lathe/IR/Schedules.h"

using namespace mlir;
using namespace lathe;

static bool isParameter(Attribute value) {
  auto integer = dyn_cast<IntegerAttr>(value);
  return isa<BoolAttr, StringAttr, DenseI64ArrayAttr>(value) || (integer && integer.getType().isSignlessInteger(64));
}

LogicalResult ScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringRef target, StringRef form,
                                   DictionaryAttr parameters) {
  if (target.empty() || form.empty())
    return emitError() << "a schedule names its target and its form";
  for (NamedAttribute parameter : parameters)
    if (!isParameter(parameter.getValue()))
      return emitError() << "parameter '" << parameter.getName().getValue() << "' of a schedule is " << parameter.getValue()
                         << "; expected an integer, a truth value, a word or a list of integers";
  return success();
}

/// Parses the value of a parameter: `8`, `true`, `radix` or `[4, 2]`.
static Attribute parseParameter(AsmParser &parser) {
  Builder builder(parser.getContext());
  for (bool truth : {true, false}) // the parser takes them for integers of one bit
    if (succeeded(parser.parseOptionalKeyword(truth ? "true" : "false")))
      return builder.getBoolAttr(truth);
  int64_t number;
  if (OptionalParseResult parsed = parser.parseOptionalInteger(number); parsed.has_value())
    return succeeded(*parsed) ? builder.getI64IntegerAttr(number) : Attribute();
  if (succeeded(parser.parseOptionalLSquare())) {
    SmallVector<int64_t> numbers;
    if (failed(parser.parseOptionalRSquare()) &&
        (parser.parseCommaSeparatedList([&] { return parser.parseInteger(numbers.emplace_back()); }) || parser.parseRSquare()))
      return {};
    return builder.getDenseI64ArrayAttr(numbers);
  }
  std::string word;
  if (parser.parseKeywordOrString(&word))
    return {};
  return builder.getStringAttr(word);
}

Attribute ScheduleAttr::parse(AsmParser &parser, Type) {
  std::string target, form;
  NamedAttrList parameters;
  llvm::SMLoc place = parser.getCurrentLocation();
  auto parseOne = [&]() -> ParseResult {
    std::string name;
    llvm::SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeywordOrString(&name) || parser.parseEqual())
      return failure();
    if (parameters.get(name))
      return parser.emitError(at, "parameter '") << name << "' occurs twice";
    Attribute value = parseParameter(parser);
    if (!value)
      return failure();
    parameters.append(name, value);
    return success();
  };
  if (parser.parseLess() || parser.parseString(&target) || parser.parseKeywordOrString(&form) ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::OptionalBraces, parseOne) || parser.parseGreater())
    return {};
  DictionaryAttr all = parameters.getDictionary(parser.getContext());
  if (failed(verify([&] { return parser.emitError(place); }, target, form, all)))
    return {};
  return ScheduleAttr::get(parser.getContext(), target, form, all);
}

static void printParameter(llvm::raw_ostream &out, Attribute value) {
  if (auto truth = dyn_cast<BoolAttr>(value))
    out << (truth.getValue() ? "true" : "false");
  else if (auto integer = dyn_cast<IntegerAttr>(value))
    out << integer.getInt();
  else if (auto word = dyn_cast<StringAttr>(value))
    out << word.getValue();
  else {
    out << '[';
    llvm::interleaveComma(cast<DenseI64ArrayAttr>(value).asArrayRef(), out);
    out << ']';
  }
}

std::string lathe::parameterText(Attribute value) {
  std::string text;
  llvm::raw_string_ostream out(text);
  printParameter(out, value);
  return text;
}

std::string lathe::textOf(ScheduleAttr schedule) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << schedule.getForm();
  if (schedule.getParameters().empty())
    return text;
  out << " {";
  llvm::interleaveComma(schedule.getParameters(), out, [&](NamedAttribute parameter) {
    out << parameter.getName().getValue() << " = ";
    printParameter(out, parameter.getValue());
  });
  out << '}';
  return text;
}

void ScheduleAttr::print(AsmPrinter &printer) const { printer << "<\"" << getTarget() << "\" " << textOf(*this) << '>'; }

ScheduleAttr lathe::scheduleFor(KernelOp kernel, StringRef target) {
  if (std::optional<ArrayAttr> schedules = kernel.getSchedules())
    for (auto schedule : schedules->getAsRange<ScheduleAttr>())
      if (schedule.getTarget() == target)
        return schedule;
  return {};
}

void lathe::setSchedule(KernelOp kernel, ScheduleAttr schedule) {
  SmallVector<Attribute> schedules;
  if (std::optional<ArrayAttr> earlier = kernel.getSchedules())
    for (auto other : earlier->getAsRange<ScheduleAttr>())
      if (other.getTarget() != schedule.getTarget())
        schedules.push_back(other);
  schedules.push_back(schedule);
  kernel.setSchedulesAttr(ArrayAttr::get(kernel.getContext(), schedules));
}
