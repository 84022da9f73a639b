// Expands lines in order. A line without types gets those of its operands; its result types are found by parsing the line by
// itself.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expander.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::composites;

static StringRef nameAt(StringRef text) {
  return text.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
}

// ---- Texts

/// Returns the text with its `$` substituted.
FailureOr<std::string> Expander::substitute(const Line &line, StringRef text) {
  std::string out;
  while (true) {
    auto [before, after] = text.split('$');
    out += before;
    if (before.size() == text.size())
      return StringRef(out).rtrim().str();
    StringRef expression;
    if (after.consume_front("{")) {
      expression = after.take_until([](char c) { return c == '}'; });
      text = after.drop_front(expression.size() + 1);
    } else {
      expression = nameAt(after);
      text = after.drop_front(expression.size());
    }
    llvm::Expected<Term> term = evaluate(expression, sight.scope);
    if (!term)
      return fail(line) << llvm::toString(term.takeError()), failure();
    out += str(*term);
  }
}

/// Returns the text with each `%name` replaced by the text that `put` appends; `put` may consume more of the rest.
static std::string replaceValues(StringRef text, function_ref<void(StringRef name, StringRef &rest, std::string &out)> put) {
  std::string out;
  while (true) {
    auto [before, after] = text.split('%');
    out += before;
    if (before.size() == text.size())
      return out;
    StringRef name = nameAt(after);
    text = after.drop_front(name.size());
    put(name, text, out);
  }
}

/// Replaces lists in the text by their values. Empty lists leave commas, which readers of the values skip.
std::string Expander::spliced(StringRef text) {
  return replaceValues(text, [&](StringRef name, StringRef &rest, std::string &out) {
    auto list = sight.scope.lists.find(name.str());
    if (list == sight.scope.lists.end() || !rest.consume_front("...")) {
      out += "%" + name.str();
      return;
    }
    for (size_t i = 0; i < list->second; ++i)
      out += (i ? ", %" : "%") + name.str() + "_" + std::to_string(i);
  });
}

/// Returns the names of the values that a text reads, in order.
FailureOr<SmallVector<std::string>> Expander::valuesIn(const Line &line, StringRef text) {
  SmallVector<std::string> found;
  replaceValues(text, [&](StringRef name, StringRef &, std::string &) { found.push_back(name.str()); });
  for (const std::string &name : found)
    if (!sight.scope.values.count(name))
      return fail(line) << "there is no value %" << name, failure();
  return found;
}

/// Returns the text with the names of values in the expansion.
std::string Expander::rewritten(StringRef text) {
  return replaceValues(text, [&](StringRef name, StringRef &, std::string &out) { out += sight.written[name.str()]; });
}

// ---- Names of values

std::string Expander::fresh(StringRef name, int number) {
  std::string text = "%" + name.str();
  if (!names.insert(text).second) {
    text += "." + std::to_string(number);
    for (int i = 1; !names.insert(text).second; ++i)
      text = "%" + name.str() + "." + std::to_string(number) + "." + std::to_string(i);
  }
  return text;
}

std::string Expander::bind(const Line &line, StringRef name, Type type) {
  sight.scope.values[name.str()] = plain(type);
  sight.given.erase(name.str());
  return sight.written[name.str()] = fresh(name, line.number);
}

/// Counts the values of the lists on the left: the list gets all values that remain.
LogicalResult Expander::countLists(const Line &line, StringRef left, size_t count) {
  SmallVector<StringRef> parts = partsOf(left);
  size_t single = llvm::count_if(parts, [](StringRef part) { return !part.ends_with("..."); });
  if (single == parts.size() ? single != count : single > count)
    return fail(line) << "gives " << count << " values";
  for (StringRef part : parts)
    if (part.consume_back("..."))
      sight.scope.lists[part.drop_front().str()] = count - single;
  return success();
}

/// Appends a statement whose results get the names on the left.
LogicalResult Expander::give(const Line &line, StringRef left, StringRef statement, TypeRange types) {
  if (failed(countLists(line, left, types.size())))
    return failure();
  SmallVector<std::string> results;
  std::string flat = spliced(left);
  for (auto [name, type] : llvm::zip_equal(partsOf(flat), types))
    results.push_back(bind(line, name.drop_front(), type));
  body += "  " + llvm::join(results, ", ") + (results.empty() ? "" : " = ") + statement.str() + "\n";
  return success();
}

/// Expands `%first, %rest... = %list...`: other names for the same values.
LogicalResult Expander::share(const Line &line, StringRef left, StringRef right) {
  FailureOr<SmallVector<std::string>> values = valuesIn(line, right);
  if (failed(values) || failed(countLists(line, left, values->size())))
    return failure();
  Sight before = sight;
  std::string flat = spliced(left);
  for (auto [name, value] : llvm::zip_equal(partsOf(flat), *values)) {
    std::string own = name.drop_front().str();
    sight.scope.values[own] = before.scope.values[value];
    sight.written[own] = before.written[value];
    if (before.given.count(value))
      sight.given.insert(own);
  }
  return success();
}

// ---- Lines

LogicalResult Expander::expandLines(ArrayRef<Line> lines) {
  for (const Line &line : lines)
    if (returned)
      return success();
    else if (failed(StringRef(line.text).starts_with("if ") ? expandChosen(line) : expandLine(line)))
      return failure();
  return success();
}

/// Expands the first block of an `if` whose condition holds.
LogicalResult Expander::expandChosen(const Line &line) {
  for (const Section &section : line.sections) {
    StringRef condition = section.head;
    condition.consume_front("else");
    condition = condition.ltrim();
    if (condition.consume_front("if ")) {
      llvm::Expected<Term> term = evaluate(condition, sight.scope);
      if (!term)
        return fail(section.head, section.number) << llvm::toString(term.takeError());
      if (!isTrue(*term))
        continue;
    }
    return expandLines(section.lines);
  }
  return success();
}

LogicalResult Expander::expandLine(const Line &line) {
  if (StringRef(line.text).contains(" = each "))
    return expandEach(line);
  // The length of a list on the left is known later; regions bind lists themselves.
  auto [left, right] = StringRef(line.text).split(" = ");
  if (right.starts_with("%"))
    return share(line, left, spliced(right));
  bool gives = left.starts_with("%") && !right.empty();
  std::string text = !line.sections.empty() ? line.text : gives ? (left + " = " + spliced(right)).str() : spliced(line.text);
  return expandText(line, text);
}

/// Expands `%kept... = each lathe.abs %state...`: the line for each value of its lists.
LogicalResult Expander::expandEach(const Line &line) {
  auto [left, right] = StringRef(line.text).split("... = each ");
  StringRef made = left.drop_front();
  std::set<std::string> lists = {made.str()};
  size_t count = 0;
  for (StringRef rest = right; rest.contains("...");) {
    StringRef before = rest.take_front(rest.find("..."));
    std::string name = before.substr(before.rfind('%') + 1).str();
    lists.insert(name);
    count = sight.scope.lists[name];
    rest = rest.drop_front(before.size() + 3);
  }
  for (size_t i = 0; i < count; ++i) {
    std::string text = (left + "... = " + right).str();
    for (const std::string &list : lists)
      for (std::string whole = "%" + list + "..."; size_t place = text.find(whole) + 1;)
        text.replace(place - 1, whole.size(), "%" + list + "_" + std::to_string(i));
    if (failed(expandText(line, text)))
      return failure();
  }
  sight.scope.lists[made.str()] = count;
  return success();
}

LogicalResult Expander::expandText(const Line &line, StringRef text) {
  FailureOr<std::string> substituted = substitute(line, text);
  if (failed(substituted))
    return failure();
  text = *substituted;
  if (text.consume_front("fail "))
    return fail() << text.trim('"');
  if (text.consume_front("return "))
    return expandReturn(line, text);
  if (text.starts_with("lathe.yield") || text.starts_with("lathe.condition"))
    return expandEnd(line, text);
  return line.sections.empty() ? expandOp(line, text) : expandRegions(line, text);
}

LogicalResult Expander::expandOp(const Line &line, StringRef text) {
  auto [left, right] = text.split(" = ");
  if (right.contains(" -> ") && !right.contains(" : "))
    return expandCall(line, left, right);
  FailureOr<SmallVector<std::string>> operands = valuesIn(line, right);
  if (failed(operands))
    return failure();
  std::string statement = rewritten(right);
  if (!right.contains(" : "))
    statement += halvesFor(right, *operands) + " : " +
                 typeText(llvm::map_to_vector(*operands, [&](auto &name) -> Type { return sight.scope.values[name]; }));
  FailureOr<SmallVector<Type>> types = typesOf(line, statement, *operands);
  return failed(types) ? failure() : give(line, left, statement, *types);
}

/// Returns the result types of a statement, by parsing it as the body of a function of its operands.
FailureOr<SmallVector<Type>> Expander::typesOf(const Line &line, StringRef statement, ArrayRef<std::string> operands,
                                               bool verified) {
  SmallVector<std::string> formals;
  for (const std::string &name : operands)
    if (std::string formal = sight.written[name] + ": " + typeText(sight.scope.values[name]);
        !llvm::is_contained(formals, formal))
      formals.push_back(formal);
  std::string text = "func.func private @line(" + llvm::join(formals, ", ") + ") {\n" + statement.str() + "\nreturn\n}\n";
  std::string said;
  OwningOpRef<ModuleOp> module;
  Operation *op = nullptr;
  {
    // The context's handlers receive diagnostics of all threads, which may be about something else.
    ScopedDiagnosticHandler handler(context, [&, thread = llvm::get_threadid()](Diagnostic &diagnostic) {
      if (llvm::get_threadid() != thread)
        return failure();
      if (said.empty())
        said = diagnostic.str();
      return success();
    });
    module = parseSourceString<ModuleOp>(text, ParserConfig(context, /*verifyAfterParse=*/false));
    if (module)
      op = &(*module->getOps<func::FuncOp>().begin()).getBody().front().front();
    if (op && verified && failed(mlir::verify(op)))
      op = nullptr;
  }
  if (!op)
    return fail(line) << (said.empty() ? "cannot parse this line" : said), failure();
  if (auto use = dyn_cast<StdOp>(op))
    addCalls(use);
  return llvm::map_to_vector(op->getResultTypes(), [](Type type) -> Type { return plain(type); });
}

/// Returns the option that tells a composite in a line which operands of the called function are halves. The line has the
/// operands in the composite's order.
std::string Expander::halvesFor(StringRef statement, ArrayRef<std::string> operands) {
  if (!half || !statement.consume_front("lathe.std."))
    return "";
  const Template *inner = findTemplate(nameAt(statement));
  if (!inner || !inner->find(kHalfOption))
    return "";
  std::string places;
  for (auto [i, name] : llvm::enumerate(operands))
    if (sight.given.count(name))
      places += (places.empty() ? "" : ", ") + std::to_string(i);
  return " " + kHalfOption.str() + " " + typeText(half) +
         (places.empty() ? "" : " " + kExactOption.str() + " [" + places + "]");
}

/// Adds the calls of a composite in a line, by the options of this one.
void Expander::addCalls(StdOp inner) {
  Use own{inner.getCompositeAttr(), inner.getGivenAttr(), inner.getOptionsAttr(), inner.getOperandTypes()};
  if (const Expansion *expansion = context->getLoadedDialect<LatheDialect>()->expansions->get(own, location))
    for (const auto &[option, type] : expansion->calls) {
      auto name = own.options.getAs<FlatSymbolRefAttr>(option); // as in this text
      if (std::pair call(name.getValue().str(), type); !llvm::is_contained(made.calls, call))
        made.calls.push_back(call);
    }
}

// ---- Calls of functions that options name

/// Expands `call @f(%x, %y) -> %x, tensor<f32>`: operand types are known, and result types are those of values or as written.
/// The same for ops with such a signature, with one list of types for each list of operands. If the operands of the composite
/// are halves, or stand for halves in another template, the function takes halves.
LogicalResult Expander::expandCall(const Line &line, StringRef left, StringRef right) {
  auto [head, behind] = right.split(" -> ");
  auto outside = [&](RankedTensorType type) { return half && type.getElementType().isF32() ? type.clone(half) : type; };
  std::string statement = head.starts_with("call ") ? "func." : "";
  SmallVector<std::string> signature;
  SmallVector<Type> inputs, results;
  for (StringRef rest = head; !rest.empty();) {
    auto [before, after] = rest.split('(');
    statement += before;
    if (before.size() == rest.size())
      break;
    auto [inside, next] = after.split(')');
    rest = next;
    FailureOr<SmallVector<std::string>> operands = valuesIn(line, inside);
    if (failed(operands))
      return failure();
    SmallVector<std::string> values;
    SmallVector<Type> types;
    for (const std::string &name : *operands) {
      RankedTensorType type = sight.scope.values[name], wanted = sight.given.count(name) ? type : outside(type);
      values.push_back(sight.written[name]);
      types.push_back(wanted);
      if (type == wanted)
        continue;
      values.back() = fresh(name, line.number);
      body += "  " + values.back() + " = lathe.convert " + sight.written[name] + " to " + typeText(half) + " : " +
              typeText(type) + "\n";
    }
    statement += "(" + llvm::join(values, ", ") + ")";
    signature.push_back("(" + typeText(types) + ")");
    llvm::append_range(inputs, types);
  }
  for (StringRef result : partsOf(behind)) {
    auto value = sight.scope.values.find(result.drop_front().str());
    auto type =
        value != sight.scope.values.end() ? value->second : dyn_cast_or_null<RankedTensorType>(parseType(result, context));
    if (!type)
      return fail(line) << "'" << result << "' is neither a value nor a type";
    results.push_back(outside(type));
  }
  if (head.consume_front("call @"))
    made.calls.push_back({head.split('(').first.str(), FunctionType::get(context, inputs, results)});
  statement += " : " + llvm::join(signature, ", ") + " -> (" + typeText(results) + ")";
  if (failed(give(line, left, statement, results)))
    return failure();
  std::string flat = spliced(left);
  for (StringRef name : partsOf(flat))
    if (half && sight.scope.values[name.drop_front().str()].getElementType() == half &&
        failed(expandOp(line, (name + " = lathe.convert " + name + " to f32").str())))
      return failure();
  return success();
}

/// Expands a return. The results of a computation in f32 that stands for halves are rounded here.
LogicalResult Expander::expandReturn(const Line &line, StringRef text) {
  FailureOr<SmallVector<std::string>> operands = valuesIn(line, text);
  if (failed(operands))
    return failure();
  SmallVector<std::string> values;
  for (const std::string &name : *operands) {
    RankedTensorType type = sight.scope.values[name];
    values.push_back(sight.written[name]);
    if (ownHalf && type.getElementType().isF32()) {
      values.back() = fresh(name + ".rounded", line.number);
      body += "  " + values.back() + " = lathe.convert " + sight.written[name] + " to " + typeText(ownHalf) + " : " +
              typeText(type) + "\n";
      type = type.clone(ownHalf);
    }
    made.results.push_back(type);
  }
  body += "  return " + llvm::join(values, ", ") + " : " + typeText(made.results) + "\n";
  returned = true;
  return success();
}
