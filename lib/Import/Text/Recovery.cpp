#include "lib/Import/Text/Recovery.h"
#include "lib/Import/Text/EditedText.h"
#include "lib/Import/Text/ParseHints.h"
#include "lib/Import/Text/ParseWords.h"
#include "lib/Import/Text/Placeholders.h"
#include "lib/Import/Text/Statements.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/SourceMgr.h"
#include <fmt/format.h>
#include <set>

using namespace mlir;
using namespace lathe;

namespace {
constexpr unsigned kMostErrors = 20;            // of the parser; other errors are reported in addition
constexpr size_t kMostBytes = size_t(64) << 20; // limit on the text that is parsed again, in total

/// An error of the parser, with its place in the original text.
struct Caught {
  size_t place;
  bool isOfEdit; // in the replacement of a statement
  std::string message;
  std::optional<size_t> note; // the place of its note
};

/// Returns the text between `before` and `after`; empty if they do not occur.
StringRef between(StringRef text, StringRef before, StringRef after) {
  size_t begin = text.find(before);
  return begin == StringRef::npos ? "" : text.drop_front(begin + before.size()).split(after).first;
}

class Recovery {
public:
  Recovery(StringRef text, StringRef name, MLIRContext &context)
      : text(text), name(name), context(context), statements(statementsOf(text)), isFaulty(statements.size()),
        isReplaced(statements.size()), edited(text), placeholders(text, context) {}

  RecoveredGraph run() {
    unsigned most = std::clamp<size_t>(kMostBytes / (text.size() + 1), 4, 400);
    for (unsigned i = 0; i < most && reported.size() < kMostErrors; ++i) {
      std::vector<Caught> errors;
      if (OwningOpRef<ModuleOp> module = parse(errors))
        return finish(std::move(module));
      bool isMended = i == 0 && mendBraces();
      if (isMended)
        errors.clear(); // it may be caused by braces
      for (const Caught &error : errors)
        isMended |= reported.size() < kMostErrors && mend(error);
      for (auto &[place, text] : placeholders.takeChanged())
        edited.insert(place, text), isMended = true;
      if (!isMended)
        break;
    }
    return {};
  }

private:
  OwningOpRef<ModuleOp> parse(std::vector<Caught> &errors);
  RecoveredGraph finish(OwningOpRef<ModuleOp> module);
  bool mendBraces();
  bool mend(const Caught &error);
  bool mendType(const Caught &error);
  bool mendDefinition(const Caught &error);
  bool mendUndefined(const Caught &error);
  bool isDefined(StringRef value, int function) const;
  size_t placeOf(const Caught &error) const;
  ParseHint constantHintFor(int index) const;
  bool followsFaultyHead(int index) const;
  bool correct(const ParseHint &hint);
  int statementAt(size_t place, StringRef message) const;
  bool blame(size_t place, StringRef message);
  bool replaceStatement(int index, size_t place);
  void replaceHead(int index);
  void report(size_t place, const Twine &message, std::optional<size_t> note = {}, StringRef noteText = "");

  Location locationOf(size_t place) {
    auto [line, column] = lineAndColumn(text, place);
    return FileLineColLoc::get(&context, name, line, column);
  }
  int innermostAt(size_t place) const;
  int functionOf(int index) const;
  int beforeOf(int index) const;
  std::string makerOf(StringRef value, int function, size_t place) const;

  StringRef text, name;
  MLIRContext &context;
  std::vector<Statement> statements;
  std::vector<bool> isFaulty, isReplaced; // by statement
  EditedText edited;
  Placeholders placeholders;
  std::set<size_t> reported, corrected;
};
} // namespace

// ---- Parsing

OwningOpRef<ModuleOp> lathe::toModule(Block &block, Location location) {
  return mlir::detail::constructContainerOpForParserIfNecessary<ModuleOp>(&block, location.getContext(), location);
}

OwningOpRef<ModuleOp> Recovery::parse(std::vector<Caught> &errors) {
  auto placeOf = [&](Location location) -> std::optional<std::pair<size_t, bool>> {
    auto place = dyn_cast<FileLineColLoc>(location);
    if (!place)
      return std::nullopt;
    return std::pair(edited.toOriginal(place.getLine(), place.getColumn()),
                     edited.isOfEdit(place.getLine(), place.getColumn()));
  };
  ScopedDiagnosticHandler collect(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success(); // reported when the whole text is parsed, or never
    auto place = placeOf(diagnostic.getLocation()).value_or(std::pair(size_t(0), false));
    Caught caught{place.first, place.second, diagnostic.str(), std::nullopt};
    for (Diagnostic &note : diagnostic.getNotes())
      if (auto other = placeOf(note.getLocation()))
        caught.note = other->first;
    errors.push_back(std::move(caught));
    return success();
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(edited.render(), name), llvm::SMLoc());
  Block block;
  if (failed(parseAsmSourceFile(sources, &block, ParserConfig(&context, /*verifyAfterParse=*/false))))
    return nullptr;
  return toModule(block, FileLineColLoc::get(&context, name, 1, 1));
}

/// Restores the ops' places in the text, and collects the ops about which nothing more is to be reported.
RecoveredGraph Recovery::finish(OwningOpRef<ModuleOp> module) {
  RecoveredGraph graph;
  module->walk([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (BlockArgument argument : region.getArguments())
        if (auto place = dyn_cast<FileLineColLoc>(argument.getLoc()))
          argument.setLoc(locationOf(edited.toOriginal(place.getLine(), place.getColumn())));
    auto place = dyn_cast<FileLineColLoc>(op->getLoc());
    if (!place || op == *module)
      return;
    size_t original = edited.toOriginal(place.getLine(), place.getColumn());
    op->setLoc(locationOf(original));
    int statement = innermostAt(original);
    if (edited.isOfEdit(place.getLine(), place.getColumn()) || (statement >= 0 && isFaulty[statement]))
      graph.faulty.insert(op);
  });
  graph.module = std::move(module);
  return graph;
}

// ---- Places

void Recovery::report(size_t place, const Twine &message, std::optional<size_t> note, StringRef noteText) {
  if (!reported.insert(place).second)
    return;
  InFlightDiagnostic diagnostic = emitError(locationOf(place)) << message;
  if (note)
    diagnostic.attachNote(locationOf(*note)) << noteText;
  if (reported.size() == kMostErrors)
    diagnostic.attachNote(locationOf(place)) << "reading ends here, after " << kMostErrors << " mistakes";
}

int Recovery::innermostAt(size_t place) const {
  auto next = llvm::upper_bound(statements, place, [](size_t p, const Statement &statement) { return p < statement.begin; });
  int index = int(next - statements.begin()) - 1;
  while (index >= 0 && !statements[index].contains(place))
    index = statements[index].parent;
  return index;
}

int Recovery::functionOf(int index) const {
  while (index >= 0 && statements[index].op != "func.func")
    index = statements[index].parent;
  return index;
}

/// Returns the preceding statement of the same region, or the statement that has the region; -1 if there is none.
int Recovery::beforeOf(int index) const {
  int parent = statements[index].parent;
  for (int other = index - 1; other > parent; --other)
    if (statements[other].parent == parent)
      return other;
  return parent;
}

/// Returns "lathe.neg (line 3) gives" for the definition of a value before `place`, or "is defined as" for an argument.
std::string Recovery::makerOf(StringRef value, int function, size_t place) const {
  StringRef base = value.split('#').first;
  std::string maker = "is defined as";
  for (int i = function + 1; i < int(statements.size()) && statements[i].begin < place; ++i)
    if (functionOf(i) == function &&
        llvm::any_of(statements[i].names, [&](StringRef each) { return each.split(':').first == base; }))
      maker = fmt::format("{} (line {}) gives", statements[i].op.str(), lineAndColumn(text, statements[i].begin).first);
  return maker;
}

// ---- Mistakes

static std::string nameOf(const Statement &statement) {
  return statement.symbol.empty() ? statement.op.str() : "@" + statement.symbol.str();
}

/// Inserts missing braces, if both the statements and the numbers of braces show that one is missing. Returns false if it
/// inserted none.
bool Recovery::mendBraces() {
  std::vector<Token> tokens = tokensOf(text);
  auto count = [&](StringRef mark) {
    return llvm::count_if(tokens, [&](const Token &each) { return text.slice(each.begin, each.end) == mark; });
  };
  long missing = count("{") - count("}");
  for (const Statement &statement : statements) {
    if (!statement.isOpened && missing < 0) {
      report(statement.headEnd, "a '{' is missing in front of the body of " + nameOf(statement));
      placeholders.insert(statement.headEnd, " { ");
      ++missing;
    }
  }
  for (const Statement &statement : llvm::reverse(statements))
    if (!statement.isClosed && missing > 0) {
      bool isLast = statement.end == tokens.back().end;
      report(statement.end, isLast ? "the text ends inside of a function; a '}' is missing"
                                   : "a '}' is missing at the end of " + nameOf(statement));
      placeholders.insert(statement.end, " } ");
      --missing;
    }
  return !reported.empty();
}

/// Reports an error, unless it follows from another one, and changes the text so that it does not recur.
bool Recovery::mend(const Caught &error) {
  StringRef message = error.message;
  if (message.starts_with("use of value"))
    return mendType(error);
  if (message.starts_with("definition of SSA value") || message.starts_with("redefinition of SSA value"))
    return mendDefinition(error);
  if (message.starts_with("use of undeclared SSA value name"))
    return mendUndefined(error);
  if (error.isOfEdit && !corrected.count(error.place))
    return placeholders.forgetTypes(error.place);
  bool isNoOp = message.starts_with("expected operation name in quotes"); // the error is about the next token
  size_t place = isNoOp ? surroundingsOf(text, error.place).begin : placeOf(error);
  if (isNoOp && text.drop_front(place).starts_with("}"))
    return report(place, "this '}' closes nothing; a function or body ended above it"), blame(place, "");
  int index = statementAt(place, message);
  ParseHint hint = constantHintFor(index);
  if (hint.message.empty())
    hint = hintFor({message, text, place, index < 0 ? "" : statements[index].op}, context);
  if (hint.message.empty())
    return false;
  if (!placeholders.isLostAlias(message) && !(message.starts_with("custom op 'return' is unknown") && followsFaultyHead(index)))
    report(hint.place, hint.message, error.note == hint.place ? std::nullopt : error.note, "here");
  return correct(hint) || blame(place, isNoOp ? "" : message);
}

/// Handles "use of value '%y' expects different type than prior uses: 'T' vs 'U'".
bool Recovery::mendType(const Caught &error) {
  int index = innermostAt(error.place), function = functionOf(index);
  if (index < 0 || error.isOfEdit || isReplaced[index])
    return false;
  StringRef value = valueAt(text, error.place), message = error.message;
  StringRef declared = between(message, "prior uses: '", "' vs '"), given = between(message, "' vs '", "'");
  if (value.empty() || declared.empty())
    return blame(error.place, message);
  if (placeholders.setType(function, value, declared))
    return true;
  if (!placeholders.isPoisoned(function, value) && !isDefined(value, function))
    return mendUndefined({error.note.value_or(error.place), /*isOfEdit=*/false, error.message, std::nullopt});
  if (!placeholders.isPoisoned(function, value)) {
    std::string made = makerOf(value, function, error.place);
    report(error.place,
           fmt::format("'{}' is declared as '{}' here, but {} '{}'; an operand has the type of its definition", value.str(),
                       declared.str(), made, given.str()),
           error.note, "defined here");
    isFaulty[index] = true;
    for (StringRef name : statements[index].names)
      placeholders.poison(function, name);
  }
  std::string alias = placeholders.addAlias(statements[index].begin, declared);
  edited.replace(error.place, error.place + value.size(), alias);
  return true;
}

/// Handles "definition of SSA value '%y#0' has type 'T'" after a use of another type, and "redefinition of SSA value '%y'".
bool Recovery::mendDefinition(const Caught &error) {
  int index = innermostAt(error.place), function = functionOf(index);
  StringRef message = error.message, value = between(message, "'", "'");
  StringRef used = StringRef(error.message).split("previously used here with type '").second.split('\'').first;
  if (index < 0)
    return false;
  if (message.starts_with("definition") && placeholders.setType(function, value, used))
    return true;
  // The parser takes a name that one function lacks for that of a later function.
  if (error.note && functionOf(innermostAt(*error.note)) != function)
    return mendUndefined({*error.note, /*isOfEdit=*/false, error.message, std::nullopt});
  if (error.isOfEdit || isReplaced[index])
    return placeholders.dropNames(error.place);
  StringRef token = valueAt(text, error.place);
  bool isPoisoned = placeholders.isPoisoned(function, token);
  if (token.empty() || (message.starts_with("definition") && !isPoisoned)) {
    report(error.place, message, error.note, "used here");
    return blame(error.place, message);
  }
  if (!isPoisoned)
    report(error.place, "'" + token + "' is defined a second time; every value has a name of its own", error.note,
           "first here");
  edited.replace(error.place, error.place + token.size(), placeholders.freshName());
  return true;
}

/// True if the function defines a value of this name.
bool Recovery::isDefined(StringRef value, int function) const {
  StringRef base = value.split('#').first;
  if (function < 0)
    return true;
  const Statement &whole = statements[function];
  for (const Statement &each : statements)
    if (whole.contains(each.begin) && llvm::any_of(each.names, [&](StringRef name) { return name.split(':').first == base; }))
      return true;
  std::vector<Token> tokens = tokensOf(text.slice(whole.begin, whole.end)); // arguments of functions, regions and blocks
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    auto at = [&](const Token &token) { return text.slice(whole.begin + token.begin, whole.begin + token.end); };
    if (at(tokens[i]) == base &&
        (at(tokens[i + 1]) == "=" || (at(tokens[i + 1]) == ":" && whole.begin + tokens[i].begin < whole.headEnd)))
      return true;
  }
  return false;
}

bool Recovery::mendUndefined(const Caught &error) {
  int index = innermostAt(error.place), function = functionOf(index);
  StringRef value = valueAt(text, error.place);
  if (function < 0 || value.empty() || error.isOfEdit)
    return blame(error.place, error.message);
  if (placeholders.isPoisoned(function, value))
    return placeholders.define(function, statements[function].headEnd + 1, value);
  report(error.place, "there is no value '" + value + "' in @" + statements[function].symbol);
  return placeholders.define(function, statements[function].headEnd + 1, value);
}

/// Returns the place that an error is about: the parser reports some errors at the next token, which may be in the next
/// statement.
size_t Recovery::placeOf(const Caught &error) const {
  StringRef message = error.message;
  if (message == "floating point value not valid for specified type") {
    size_t number = error.place;
    std::vector<Token> tokens = tokensOf(text.take_front(error.place));
    for (size_t i = 1; i < tokens.size(); ++i)
      if (tokens[i - 1].kind == Token::Number && text[tokens[i].begin] == ':')
        number = tokens[i - 1].begin;
    return number;
  }
  int index = innermostAt(error.place);
  bool isFirst = index >= 0 && statements[index].begin == error.place;
  if (isFirst && message.consume_front("custom op '") && message.split("' ").second.starts_with("expected '"))
    return surroundingsOf(text, error.place).endOfPrevious;
  return error.place;
}

/// Returns the hint for a constant without dense<...>; an empty one for any other statement.
ParseHint Recovery::constantHintFor(int index) const {
  if (index < 0 || statements[index].op != "lathe.constant")
    return {"", 0};
  StringRef statement = text.slice(statements[index].begin, statements[index].end);
  StringRef value = statement.split("lathe.constant").second.ltrim();
  return {constantHint(statement), size_t(value.data() - text.data())};
}

/// True if a statement is the end of a function whose head has not been read.
bool Recovery::followsFaultyHead(int index) const {
  if (index < 0 || statements[index].op != "return")
    return false;
  while (index > 0 && statements[index].op != "func.func")
    --index;
  return isFaulty[index];
}

/// Inserts the hint's correction. Returns false if the hint has none.
bool Recovery::correct(const ParseHint &hint) {
  if (!hint.correction || !corrected.insert(hint.correction->begin).second)
    return false;
  auto &[begin, end, meant] = *hint.correction;
  edited.replace(begin, end, meant);
  if (meant[0] == '%')
    placeholders.poison(functionOf(innermostAt(begin)), meant);
  return true;
}

/// Returns the statement that causes an error; -1 if there is none.
int Recovery::statementAt(size_t place, StringRef message) const {
  if (statements.empty())
    return -1;
  int index = innermostAt(place);
  auto next = llvm::upper_bound(statements, place, [](size_t p, const Statement &each) { return p < each.begin; });
  int last = std::max<int>(0, int(next - statements.begin()) - 1);
  bool isBehindLast = statements[last].end <= place && text.slice(statements[last].end, place).trim().empty();
  if (index < 0 || isBehindLast) // between statements, or at the end
    index = last;
  // The text that the parser expected is missing at the end of the preceding statement.
  if (place == statements[index].begin && message.starts_with("expected") && beforeOf(index) >= 0 &&
      !isReplaced[beforeOf(index)])
    index = beforeOf(index);
  return index;
}

/// Replaces the statement that causes an error. Returns false if there is none left to replace.
bool Recovery::blame(size_t place, StringRef message) {
  int index = statementAt(place, message);
  for (; index >= 0; index = statements[index].parent)
    if (replaceStatement(index, place))
      return true;
  return false;
}

/// Replaces a function's head: it keeps its ops and loses its arguments and results.
void Recovery::replaceHead(int index) {
  const Statement &statement = statements[index];
  size_t inside = statement.headEnd + (statement.isOpened ? 1 : 0);
  std::string symbol = statement.symbol.empty() ? placeholders.freshName().substr(1) : statement.symbol.str();
  edited.replace(statement.begin, statement.headEnd, "func.func private @" + symbol + "() ");
  placeholders.eraseWithin(statement.begin, statement.headEnd);
  StringRef head = text.slice(statement.begin, statement.headEnd);
  for (const Token &token : tokensOf(head))
    if (token.kind == Token::Value) {
      StringRef behind = head.drop_front(token.end).ltrim();
      size_t end = behind.find_first_of("\n{)%");
      bool hasType = behind.consume_front(":");
      placeholders.define(index, inside, head.slice(token.begin, token.end),
                          hasType ? behind.take_front(end - 1).rtrim(" ,") : StringRef("none"));
    }
}

/// Replaces a statement by definitions of the same names, or a function's head if the place is in it. Returns false if that has
/// been done before.
bool Recovery::replaceStatement(int index, size_t place) {
  const Statement &statement = statements[index];
  if (isReplaced[index])
    return false;
  bool isHead = statement.op == "func.func" && statement.hasRegion && place <= statement.headEnd && !isFaulty[index];
  isFaulty[index] = true;
  if (isHead)
    return replaceHead(index), true;
  isReplaced[index] = true;
  edited.replace(statement.begin, statement.end, "");
  placeholders.eraseWithin(statement.begin, statement.end);
  if (statement.isTerminator()) {
    StringRef op = statement.op == "return" ? "func.return" : statement.op;
    placeholders.insert(statement.begin, ("\"" + op + "\"() : () -> () ").str());
  } else if (!statement.names.empty()) {
    placeholders.standFor(functionOf(index), statement.begin, statement.names, text.slice(statement.begin, statement.headEnd));
  } else if (!statement.symbol.empty() && functionOf(statement.parent) < 0) {
    std::string symbol = statement.symbol.starts_with('"') ? statement.symbol.str() : "\"" + statement.symbol.str() + "\"";
    placeholders.insert(statement.begin, "\"" + kUnreadOp.str() + "\"() {sym_name = " + symbol + "} : () -> () ");
  } else if (text[statement.begin] == '#' || text[statement.begin] == '!') {
    placeholders.poisonAlias(text.drop_front(statement.begin + 1).take_while([](char c) { return c != ' ' && c != '='; }));
  } else if (statement.parent >= 0) {
    placeholders.insert(statement.begin, ("\"" + kUnreadOp + "\"() : () -> () ").str()); // it may have been a return
  }
  return true;
}

RecoveredGraph lathe::recoverGraph(StringRef text, StringRef name, MLIRContext &context) {
  return Recovery(text, name, context).run();
}
