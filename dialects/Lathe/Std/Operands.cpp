// Binds the operands of a use by their elements and names, and options by their values.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expander.h"
#include "mlir/AsmParser/AsmParser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::composites;

static bool isKind(Parameter::Kind kind, Type element) {
  switch (kind) {
  case Parameter::Kind::Float:
    return isa<FloatType>(element);
  case Parameter::Kind::Number:
    return !element.isInteger(1);
  case Parameter::Kind::Integer:
    return isa<IntegerType>(element) && !element.isInteger(1);
  case Parameter::Kind::Index:
    return element.isSignlessInteger(32) || element.isSignlessInteger(64);
  case Parameter::Kind::Bool:
    return element.isInteger(1);
  default:
    return true;
  }
}

/// Binds which operands of the called function are halves, as a line of another template states.
LogicalResult Expander::bindHalves() {
  if (Attribute given = use.options.get(kHalfOption); given && source.find(kHalfOption)) {
    FailureOr<Term> term = optionTerm(*source.find(kHalfOption), given);
    if (failed(term))
      return failure();
    half = parseType(std::get<std::string>(*term), context);
  }
  if (Attribute given = use.options.get(kExactOption); given && source.find(kExactOption)) {
    FailureOr<Term> term = optionTerm(*source.find(kExactOption), given);
    if (failed(term))
      return failure();
    exact.assign(cast<DenseI64ArrayAttr>(given).asArrayRef());
  }
  return success();
}

LogicalResult Expander::bindOperands() {
  SmallVector<std::pair<const Parameter *, std::string>> taken;
  size_t required = 0;
  for (const Parameter &parameter : source.parameters) {
    if (!parameter.isOperand())
      continue;
    size_t given = llvm::count(use.given, StringAttr::get(context, parameter.name));
    if (parameter.optional)
      sight.scope.options[parameter.name] = given > 0;
    required += !parameter.optional;
    if (parameter.many)
      sight.scope.lists[parameter.name] = given;
    for (size_t i = 0; parameter.many && i < given; ++i)
      taken.push_back({&parameter, parameter.name + "_" + std::to_string(i)});
    if (!parameter.many && (!parameter.optional || given))
      taken.push_back({&parameter, parameter.name});
  }
  if (taken.size() != use.operands.size())
    return fail() << "takes " << required << " operands" << (use.given.empty() ? "" : " before the named ones") << ", got "
                  << use.operands.size() - use.given.size();
  for (auto [i, each] : llvm::enumerate(taken))
    if (failed(bindOperand(*each.first, each.second, plain(use.operands[i]), i)))
      return failure();
  return success();
}

LogicalResult Expander::bindOperand(const Parameter &parameter, const std::string &name, RankedTensorType type,
                                    unsigned index) {
  if (!isKind(parameter.kind, type.getElementType()))
    return fail() << "operand " << index << " '" << parameter.name << "' must be " << parameter.describe() << ", got " << type;
  Dims extents;
  std::string dims;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    bool dynamic = ShapedType::isDynamic(extent);
    extents.push_back(dynamic ? Dim::named(name + "_" + std::to_string(i)) : Dim(extent));
    if (dynamic)
      dims += (dims.empty() ? "" : ", ") + extents.back().str();
  }
  sight.scope.extents[name] = extents;
  bool widen = isHalf(type.getElementType()) && !source.moves;
  bool asGiven = !use.options.get(kHalfOption) || llvm::is_contained(exact, index);
  arguments.push_back("%" + name + (widen ? ".half: " : ": ") + typeText(type) +
                      (dims.empty() ? "" : " {lathe.dims = #lathe.dims<" + dims + ">}"));
  if (widen) {
    ownHalf = ownHalf ? ownHalf : type.getElementType();
    body += "  %" + name + " = lathe.convert %" + name + ".half to f32 : " + typeText(type) + "\n";
    type = type.clone(Float32Type::get(context));
  } else if (asGiven) {
    sight.given.insert(name);
  }
  sight.scope.values[name] = type;
  sight.written[name] = "%" + name;
  names.insert("%" + name);
  return success();
}

/// Returns the option's value from the graph, or the template's default.
FailureOr<Term> Expander::optionTerm(const Parameter &parameter, Attribute given) {
  using Kind = Parameter::Kind;
  if (!given && parameter.kind == Kind::Flag)
    return Term(false);
  if (!given && parameter.kind == Kind::Checkpoint)
    return Term(std::string());
  if (!given) {
    if (!parameter.initial)
      return fail() << "needs '" << parameter.name << "', " << parameter.describe(), failure();
    llvm::Expected<Term> term = evaluate(*parameter.initial, sight.scope);
    if (!term)
      return fail() << llvm::toString(term.takeError()), failure();
    return *term;
  }
  if (parameter.kind == Kind::Flag && isa<UnitAttr>(given))
    return Term(true);
  auto integer = dyn_cast<IntegerAttr>(given);
  if (integer && (parameter.kind == Kind::Dim || parameter.kind == Kind::Int))
    return Term(Dim(integer.getInt()));
  if (auto real = dyn_cast<FloatAttr>(given); real && parameter.kind == Kind::Real)
    return Term(real.getValueAsDouble());
  if (auto list = dyn_cast<DenseI64ArrayAttr>(given); list && (parameter.kind == Kind::Dims || parameter.kind == Kind::Ints)) {
    Dims dims;
    for (int64_t value : list.asArrayRef())
      dims.push_back(Dim(value));
    return Term(dims);
  }
  if (auto word = dyn_cast<StringAttr>(given); word && parameter.kind == Kind::Choice)
    if (llvm::is_contained(parameter.choices, word.getValue()))
      return Term(word.str());
  if (auto word = dyn_cast<StringAttr>(given); word && parameter.kind == Kind::Checkpoint) {
    StringRef steps = word;
    int64_t number;
    if (steps == "sqrt" || (steps.consume_front("every ") && !steps.getAsInteger(10, number) && number > 0))
      return Term("checkpoint " + word.str());
  }
  if (auto function = dyn_cast<FlatSymbolRefAttr>(given); function && parameter.kind == Kind::Function)
    return Term("@" + parameter.name); // its own name may be invalid in lines
  return fail() << "'" << parameter.name << "' must be " << parameter.describe() << ", got " << given, failure();
}

/// Returns dimensions counted from the front, in ascending order.
FailureOr<Term> Expander::normalised(const Parameter &parameter, Term term) {
  auto first = llvm::find_if(source.parameters, [](const Parameter &each) { return each.isOperand() && !each.optional; });
  int64_t rank = sight.scope.values[first->name].getRank();
  if (auto *word = std::get_if<std::string>(&term); word && *word == "all") {
    Dims all;
    for (int64_t i = 0; i < rank; ++i)
      all.push_back(Dim(i));
    return Term(all);
  }
  Dims dims;
  if (auto *one = std::get_if<Dim>(&term))
    dims = {*one};
  else
    dims = std::get<Dims>(term);
  SmallVector<int64_t> places;
  for (const Dim &dim : dims) {
    int64_t place = dim.constant();
    if (place < -rank || place >= rank)
      return fail() << "'" << parameter.name << "' is " << dim.str() << ", operand 0 '" << first->name << "' has rank " << rank,
             failure();
    places.push_back(place < 0 ? place + rank : place);
  }
  llvm::sort(places);
  if (std::adjacent_find(places.begin(), places.end()) != places.end())
    return fail() << "'" << parameter.name << "' names dimension " << *std::adjacent_find(places.begin(), places.end())
                  << " twice",
           failure();
  if (parameter.kind == Parameter::Kind::Dim)
    return Term(Dim(places[0]));
  return Term(Dims(places.begin(), places.end()));
}

LogicalResult Expander::bindOptions() {
  for (NamedAttribute option : use.options)
    if (const Parameter *parameter = source.find(option.getName()); !parameter || parameter->isOperand())
      return fail() << "has no option '" << option.getName().getValue() << "'";
  for (const Parameter &parameter : source.parameters) {
    if (parameter.isOperand())
      continue;
    FailureOr<Term> term = optionTerm(parameter, use.options.get(parameter.name));
    if (succeeded(term) && (parameter.kind == Parameter::Kind::Dim || parameter.kind == Parameter::Kind::Dims))
      term = normalised(parameter, *term);
    if (failed(term))
      return failure();
    sight.scope.options[parameter.name] = *term;
  }
  if (!half)
    half = ownHalf;
  if (source.find(kHalfOption))
    sight.scope.options[kHalfOption.str()] = half ? typeText(half) : "none";
  return success();
}
