#include "codegen/Schedules/Parameters.h"

using namespace mlir;
using namespace lathe;

Attribute ParameterReader::take(StringRef name) {
  known.push_back(name.str());
  return schedule.getParameters().get(name);
}

void ParameterReader::refuse(StringRef name, const Twine &expected) {
  isRight = false;
  InFlightDiagnostic error = mlir::emitError(place) << "schedule of form '" << schedule.getForm() << "' for '"
                                                    << schedule.getTarget() << "': parameter '" << name << "' ";
  if (Attribute value = schedule.getParameters().get(name))
    error << "is " << value << "; expected " << expected;
  else
    error << "is missing; expected " << expected;
}

int64_t ParameterReader::integer(StringRef name, int64_t least, int64_t most) {
  auto value = dyn_cast_or_null<IntegerAttr>(take(name));
  if (value && value.getType().isSignlessInteger(64) && value.getInt() >= least && value.getInt() <= most)
    return value.getInt();
  refuse(name, "an integer from " + Twine(least) + " to " + Twine(most));
  return least;
}

void ParameterReader::operator()(StringRef name, bool &value) {
  if (auto truth = dyn_cast_or_null<BoolAttr>(take(name)))
    value = truth.getValue();
  else
    refuse(name, "true or false");
}

void ParameterReader::operator()(StringRef name, SmallVector<int64_t> &values, int64_t least, int64_t most) {
  auto list = dyn_cast_or_null<DenseI64ArrayAttr>(take(name));
  if (!list || llvm::any_of(list.asArrayRef(), [&](int64_t value) { return value < least || value > most; }))
    return refuse(name, "a list of integers from " + Twine(least) + " to " + Twine(most));
  values.assign(list.asArrayRef().begin(), list.asArrayRef().end());
}

size_t ParameterReader::word(StringRef name, ArrayRef<StringLiteral> words) {
  auto value = dyn_cast_or_null<StringAttr>(take(name));
  for (auto [i, word] : llvm::enumerate(words))
    if (value && value.getValue() == word)
      return i;
  refuse(name, "one of " + llvm::join(words, ", "));
  return 0;
}

LogicalResult ParameterReader::finish() {
  for (NamedAttribute parameter : schedule.getParameters())
    if (!llvm::is_contained(known, parameter.getName().getValue())) {
      isRight = false;
      mlir::emitError(place) << "schedule of form '" << schedule.getForm() << "' for '" << schedule.getTarget()
                             << "' has no parameter '" << parameter.getName().getValue() << "'; its parameters are "
                             << (known.empty() ? "none" : llvm::join(known, ", "));
    }
  return success(isRight);
}

LogicalResult lathe::keepsSumOrder(Location place, DictionaryAttr given, DictionaryAttr expected, ArrayRef<StringRef> names) {
  for (NamedAttribute parameter : expected) {
    StringRef name = parameter.getName().getValue();
    if (!names.empty() && !llvm::is_contained(names, name))
      continue;
    if (Attribute value = given.get(name); value != parameter.getValue())
      return mlir::emitError(place) << "a schedule with '" << name << "' " << parameterText(value) << "; expected "
                                    << parameterText(parameter.getValue())
                                    << ": the order of a sum depends only on types and positions";
  }
  return success();
}
