// Lines are read in order. A line without types gets those of its operands; what it gives is learned by parsing the line alone.
#include "dialects/Lathe/Std/Expand.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expression.h"
#include "dialects/Lathe/Std/Options.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::composites;

static std::string typeText(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static RankedTensorType plain(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return RankedTensorType::get(tensor.getShape(), tensor.getElementType());
}

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

namespace {
class Expander {
public:
  Expander(const Use &use, Location location)
      : use(use), location(location), context(location.getContext()), source(*findTemplate(use.name)) {}

  LogicalResult run(Expansion &expansion) {
    if (failed(bindOperands()) || failed(bindOptions()) || failed(expandLines()))
      return failure();
    expansion.results.assign(results.begin(), results.end());
    expansion.text = "func.func private @" + source.name + "(" + llvm::join(arguments, ", ") + ") -> (";
    expansion.text += llvm::join(llvm::map_range(results, typeText), ", ") + ") attributes {lathe.composite = \"" +
                      source.name + "\"} {\n" + body + "}\n";
    return success();
  }

private:
  const Use &use;
  Location location;
  MLIRContext *context;
  const Template &source;
  Scope scope;
  std::map<std::string, std::string> written; // values by name: a line may give a name anew
  Type half;                                  // of the operands, if it computes in f32 instead
  std::vector<std::string> arguments;
  std::string body;
  SmallVector<Type> results;

  InFlightDiagnostic fail() { return emitError(location) << "lathe.std." << source.name << ": "; }
  InFlightDiagnostic fail(const Line &line) {
    InFlightDiagnostic diagnostic = fail();
    diagnostic.attachNote(FileLineColLoc::get(context, source.file, line.number, 1))
        << "in this line of its template: " << line.text;
    return diagnostic;
  }

  LogicalResult bindOperands();
  LogicalResult bindOperand(const Parameter &parameter, RankedTensorType type, unsigned index);
  LogicalResult bindOptions();
  FailureOr<Term> optionTerm(const Parameter &parameter, Attribute given);
  FailureOr<Term> normalised(const Parameter &parameter, Term term);

  LogicalResult expandLines();
  LogicalResult expandLine(const Line &line, StringRef text);
  LogicalResult expandReturn(const Line &line, StringRef text);
  FailureOr<std::string> substitute(const Line &line);
  FailureOr<SmallVector<std::string>> valuesIn(const Line &line, StringRef text);
  std::string rewritten(StringRef text);
  FailureOr<SmallVector<Type>> typesOf(const Line &line, StringRef statement, ArrayRef<std::string> operands);
};
} // namespace

// ---- Operands and options

LogicalResult Expander::bindOperands() {
  SmallVector<const Parameter *> taken;
  size_t required = 0;
  for (const Parameter &parameter : source.parameters) {
    if (!parameter.isOperand())
      continue;
    bool given = llvm::is_contained(use.given, StringAttr::get(context, parameter.name));
    if (parameter.optional)
      scope.options[parameter.name] = given;
    required += !parameter.optional;
    if (!parameter.optional || given)
      taken.push_back(&parameter);
  }
  if (taken.size() != use.operands.size())
    return fail() << "takes " << required << " operands" << (use.given.empty() ? "" : " before those with a name") << ", got "
                  << use.operands.size() - use.given.size();
  for (auto [i, parameter] : llvm::enumerate(taken))
    if (failed(bindOperand(*parameter, plain(use.operands[i]), i)))
      return failure();
  return success();
}

LogicalResult Expander::bindOperand(const Parameter &parameter, RankedTensorType type, unsigned index) {
  if (!isKind(parameter.kind, type.getElementType()))
    return fail() << "operand " << index << " '" << parameter.name << "' must be " << parameter.describe() << ", got " << type;
  Dims extents;
  std::string names;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    bool dynamic = ShapedType::isDynamic(extent);
    extents.push_back(dynamic ? Dim::named(parameter.name + "_" + std::to_string(i)) : Dim(extent));
    if (dynamic)
      names += (names.empty() ? "" : ", ") + extents.back().str();
  }
  scope.extents[parameter.name] = extents;
  bool widen = isHalf(type.getElementType()) && !source.moves;
  arguments.push_back("%" + parameter.name + (widen ? ".half: " : ": ") + typeText(type) +
                      (names.empty() ? "" : " {lathe.dims = #lathe.dims<" + names + ">}"));
  if (widen) {
    half = half ? half : type.getElementType();
    body += "  %" + parameter.name + " = lathe.convert %" + parameter.name + ".half to f32 : " + typeText(type) + "\n";
    type = type.clone(Float32Type::get(context));
  }
  scope.values[parameter.name] = type;
  written[parameter.name] = "%" + parameter.name;
  return success();
}

/// What the graph gives, or what the template has in its place.
FailureOr<Term> Expander::optionTerm(const Parameter &parameter, Attribute given) {
  using Kind = Parameter::Kind;
  if (!given && parameter.kind == Kind::Flag)
    return Term(false);
  if (!given) {
    if (!parameter.initial)
      return fail() << "needs '" << parameter.name << "', " << parameter.describe(), failure();
    llvm::Expected<Term> term = evaluate(*parameter.initial, scope);
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
  return fail() << "'" << parameter.name << "' must be " << parameter.describe() << ", got " << given, failure();
}

/// Dimensions count from the front, in ascending order.
FailureOr<Term> Expander::normalised(const Parameter &parameter, Term term) {
  auto first = llvm::find_if(source.parameters, [](const Parameter &each) { return each.isOperand() && !each.optional; });
  int64_t rank = scope.values[first->name].getRank();
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
    scope.options[parameter.name] = *term;
  }
  return success();
}

// ---- Lines

/// The line with what its `$` stand for.
FailureOr<std::string> Expander::substitute(const Line &line) {
  std::string out;
  StringRef rest = line.text;
  while (true) {
    auto [before, after] = rest.split('$');
    out += before;
    if (before.size() == rest.size())
      return out;
    StringRef expression;
    if (after.consume_front("{")) {
      expression = after.take_until([](char c) { return c == '}'; });
      rest = after.drop_front(expression.size() + 1);
    } else {
      expression = after.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
      rest = after.drop_front(expression.size());
    }
    llvm::Expected<Term> term = evaluate(expression, scope);
    if (!term)
      return fail(line) << llvm::toString(term.takeError()), failure();
    out += str(*term);
  }
}

LogicalResult Expander::expandLines() {
  enum class Branch { Taken, Skipped, Done }; // Done: what follows an `else` of a taken `if`
  SmallVector<Branch> branches;
  auto active = [&] { return llvm::all_of(branches, [](Branch branch) { return branch == Branch::Taken; }); };
  auto enter = [&](const Line &line, StringRef condition) -> LogicalResult {
    llvm::Expected<Term> term = evaluate(condition.rtrim(" {"), scope);
    if (!term)
      return fail(line) << llvm::toString(term.takeError());
    branches.push_back(isTrue(*term) ? Branch::Taken : Branch::Skipped);
    return success();
  };
  for (const Line &line : source.body) {
    StringRef text = line.text;
    if (text.consume_front("} else if ")) {
      Branch before = branches.pop_back_val();
      if (before != Branch::Skipped || !active())
        branches.push_back(Branch::Done);
      else if (failed(enter(line, text)))
        return failure();
    } else if (text == "} else {") {
      branches.back() = branches.back() == Branch::Skipped ? Branch::Taken : Branch::Done;
    } else if (text == "}") {
      branches.pop_back();
    } else if (text.consume_front("if ")) {
      if (!active())
        branches.push_back(Branch::Done);
      else if (failed(enter(line, text)))
        return failure();
    } else if (active()) {
      FailureOr<std::string> expanded = substitute(line);
      if (failed(expanded) || failed(expandLine(line, *expanded)))
        return failure();
      if (text.starts_with("return "))
        return success();
    }
  }
  return success();
}

/// Names of the values that a text reads, in order.
FailureOr<SmallVector<std::string>> Expander::valuesIn(const Line &line, StringRef text) {
  SmallVector<std::string> names;
  while (true) {
    auto [before, after] = text.split('%');
    if (before.size() == text.size())
      return names;
    StringRef name = after.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!scope.values.count(name.str()))
      return fail(line) << "there is no value %" << name, failure();
    names.push_back(name.str());
    text = after.drop_front(name.size());
  }
}

/// The text with its values as they are written in the expansion.
std::string Expander::rewritten(StringRef text) {
  std::string out;
  while (true) {
    auto [before, after] = text.split('%');
    out += before;
    if (before.size() == text.size())
      return out;
    StringRef name = after.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    out += written[name.str()];
    text = after.drop_front(name.size());
  }
}

/// The result types of a statement, by parsing it as the body of a function of its operands.
FailureOr<SmallVector<Type>> Expander::typesOf(const Line &line, StringRef statement, ArrayRef<std::string> operands) {
  SmallVector<std::string> formals;
  for (const std::string &name : operands)
    if (std::string formal = written[name] + ": " + typeText(scope.values[name]); !llvm::is_contained(formals, formal))
      formals.push_back(formal);
  std::string text = "func.func private @line(" + llvm::join(formals, ", ") + ") {\n" + statement.str() + "\nreturn\n}\n";
  std::string said;
  OwningOpRef<ModuleOp> module;
  {
    ScopedDiagnosticHandler handler(context, [&](Diagnostic &diagnostic) {
      if (said.empty())
        said = diagnostic.str();
      return success();
    });
    module = parseSourceString<ModuleOp>(text, ParserConfig(context, /*verifyAfterParse=*/false));
  }
  if (!module)
    return fail(line) << (said.empty() ? "a line that cannot be read" : said), failure();
  SmallVector<Type> types;
  for (Type type : (*module->getOps<func::FuncOp>().begin()).getBody().front().front().getResultTypes())
    types.push_back(plain(type));
  return types;
}

LogicalResult Expander::expandLine(const Line &line, StringRef text) {
  if (text.consume_front("fail "))
    return fail() << text.trim('"');
  if (text.consume_front("return "))
    return expandReturn(line, text);
  auto [left, right] = text.split(" = ");
  FailureOr<SmallVector<std::string>> operands = valuesIn(line, right);
  if (failed(operands))
    return failure();
  std::string types;
  if (!right.contains(" : "))
    types = " : " + llvm::join(llvm::map_range(*operands, [&](auto &name) { return typeText(scope.values[name]); }), ", ");
  std::string value = rewritten(right) + types;
  SmallVector<StringRef> names;
  left.split(names, ',');
  SmallVector<std::string> results;
  for (StringRef &name : names) {
    name = name.trim(" %");
    results.push_back("%" + name.str() + (scope.values.count(name.str()) ? "." + std::to_string(line.number) : ""));
  }
  std::string statement = llvm::join(results, ", ") + " = " + value;
  FailureOr<SmallVector<Type>> given = typesOf(line, statement, *operands);
  if (failed(given))
    return failure();
  if (names.size() != given->size())
    return fail(line) << "gives " << given->size() << " values";
  for (auto [name, result, type] : llvm::zip_equal(names, results, *given)) {
    scope.values[name.str()] = cast<RankedTensorType>(type);
    written[name.str()] = result;
  }
  body += "  " + statement + "\n";
  return success();
}

/// Results of a computation in f32 that stands for halves are rounded here.
LogicalResult Expander::expandReturn(const Line &line, StringRef text) {
  FailureOr<SmallVector<std::string>> names = valuesIn(line, text);
  if (failed(names))
    return failure();
  SmallVector<std::string> values;
  for (const std::string &name : *names) {
    RankedTensorType type = scope.values[name];
    values.push_back(written[name]);
    if (half && type.getElementType().isF32()) {
      body += "  " + written[name] + ".rounded = lathe.convert " + written[name] + " to " + typeText(half) + " : " +
              typeText(type) + "\n";
      values.back() += ".rounded";
      type = type.clone(half);
    }
    results.push_back(type);
  }
  body += "  return " + llvm::join(values, ", ") + " : " + llvm::join(llvm::map_range(results, typeText), ", ") + "\n";
  return success();
}

// ---- All expansions of a context

const Expansion *Expansions::get(const Use &use, Location location) {
  if (!findTemplate(use.name))
    return emitError(location) << "there is no lathe.std." << use.name.getValue() << hintFor(use.name), nullptr;
  std::string key;
  llvm::raw_string_ostream out(key);
  out << use.name << use.given << use.options;
  for (Type type : use.operands)
    out << plain(type);
  {
    std::scoped_lock lock(mutex);
    if (auto it = made.find(key); it != made.end())
      return &it->second;
  }
  Expansion expansion; // made without the lock: its lines may use composites
  if (failed(Expander(use, location).run(expansion)))
    return nullptr;
  std::scoped_lock lock(mutex);
  return &made.emplace(key, std::move(expansion)).first->second;
}

OwningOpRef<func::FuncOp> lathe::composites::expansionOf(Operation *op) {
  auto use = cast<StdOp>(op);
  SmallVector<Type> operands(use.getOperandTypes());
  Expansions &expansions = *use.getContext()->getLoadedDialect<LatheDialect>()->expansions;
  const Expansion *expansion =
      expansions.get({use.getCompositeAttr(), use.getGivenAttr(), use.getOptionsAttr(), operands}, use.getLoc());
  if (!expansion)
    return {};
  ParserConfig config(use.getContext(), /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(expansion->text, config);
  if (!module)
    return {};
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  function->remove();
  function->walk([&](Operation *inner) { inner->setLoc(use.getLoc()); });
  for (BlockArgument argument : function.getArguments())
    argument.setLoc(use.getLoc());
  return function;
}
