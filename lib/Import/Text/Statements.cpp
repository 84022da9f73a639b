#include "lib/Import/Text/Statements.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;

bool Statement::isTerminator() const {
  return llvm::is_contained({"return", "func.return", "lathe.yield", "lathe.condition"}, op);
}

// ---- Tokens

static bool isNamePart(char c) { return llvm::isAlnum(c) || c == '_' || c == '.' || c == '$'; }

size_t lathe::endOfString(StringRef text, size_t place) {
  for (++place; place < text.size() && text[place] != '"' && text[place] != '\n'; ++place)
    if (text[place] == '\\')
      ++place;
  return std::min(place + 1, text.size());
}

static Token tokenAt(StringRef text, size_t begin) {
  auto endOfName = [&](size_t place, StringRef others) {
    while (place < text.size() && (isNamePart(text[place]) || others.contains(text[place])))
      ++place;
    return place;
  };
  char c = text[begin], next = begin + 1 < text.size() ? text[begin + 1] : 0;
  if (c == '"')
    return {Token::String, begin, endOfString(text, begin), false};
  if (c == '@' && next == '"')
    return {Token::Symbol, begin, endOfString(text, begin + 1), false};
  if (c == '@')
    return {Token::Symbol, begin, endOfName(begin + 1, "-"), false};
  if (c == '%')
    return {Token::Value, begin, endOfName(begin + 1, "-#"), false};
  if (c == '#' || c == '!')
    return {Token::Attribute, begin, endOfName(begin + 1, ""), false};
  if (c == '^')
    return {Token::Label, begin, endOfName(begin + 1, ""), false};
  if (llvm::isDigit(c))
    return {Token::Number, begin, endOfName(begin, ""), false};
  if (isNamePart(c))
    return {Token::Word, begin, endOfName(begin, ""), false};
  return {Token::Mark, begin, begin + (c == '-' && next == '>' ? 2 : 1), false};
}

std::vector<Token> lathe::tokensOf(StringRef text) {
  std::vector<Token> tokens;
  bool isFirst = true;
  for (size_t place = 0; place < text.size();) {
    if (text[place] == '\n' || llvm::isSpace(text[place])) {
      isFirst |= text[place++] == '\n';
    } else if (text.substr(place).starts_with("//")) {
      place = std::min(text.find('\n', place), text.size());
    } else {
      tokens.push_back(tokenAt(text, place));
      tokens.back().isFirst = std::exchange(isFirst, false);
      place = tokens.back().end;
    }
  }
  return tokens;
}

StringRef lathe::valueAt(StringRef text, size_t place) {
  if (place >= text.size() || text[place] != '%')
    return "";
  Token token = tokenAt(text, place);
  return text.slice(token.begin, token.end);
}

// ---- Statements

namespace {
/// Walks over the tokens with a stack of open brackets.
class Splitter {
public:
  explicit Splitter(StringRef text) : text(text), tokens(tokensOf(text)), levels(1) {}

  std::vector<Statement> run() {
    for (size_t i = 0; i < tokens.size(); ++i)
      i = take(i);
    while (levels.size() > 1)
      closeRegion(/*isClosed=*/false, tokens.back().end);
    endCurrent(tokens.empty() ? 0 : tokens.back().end);
    for (Statement &statement : statements)
      if (!statement.hasRegion)
        statement.headEnd = statement.end;
    return std::move(statements);
  }

private:
  /// The top level of the text, or a region.
  struct Level {
    int owner = -1, current = -1;
    std::string brackets; // open in the current statement
  };
  /// The start of a statement: the token of its op's name, and the names that it defines.
  struct Start {
    size_t op;
    SmallVector<StringRef> names;
  };

  StringRef at(size_t i) const { return i < tokens.size() ? text.slice(tokens[i].begin, tokens[i].end) : StringRef(); }
  bool is(size_t i, Token::Kind kind) const { return i < tokens.size() && tokens[i].kind == kind; }

  /// Returns the name of an op; "func.func" also for other spellings of it, such as `func` or `def`.
  StringRef opAt(size_t i) const {
    bool isFunction = llvm::is_contained({"func", "function", "def", "fn", "fun"}, at(i)) && is(i + 1, Token::Symbol);
    return isFunction ? "func.func" : at(i);
  }

  /// True for `lathe.add`, and false for the name in `{lathe.dims = ...}`.
  bool isOpName(size_t i) const {
    return is(i, Token::Word) && at(i).contains('.') && at(i + 1) != "=" && (at(i + 1) != "}" || at(i) == "func.return");
  }

  /// Reads `%a, %b:2 = op`; if `loosely`, anything may follow the names.
  std::optional<Start> definitionAt(size_t i, bool loosely) const {
    Start start;
    while (is(i, Token::Value)) {
      size_t end = tokens[i].end, begin = tokens[i].begin;
      if (at(i + 1) == ":" && is(i + 2, Token::Number))
        i += 2, end = tokens[i].end;
      start.names.push_back(text.slice(begin, end));
      if (at(++i) != ",")
        break;
      ++i;
    }
    bool isDefinition = at(i) == "=" && !start.names.empty();
    start.op = isDefinition ? i + 1 : i;
    if (loosely || (isDefinition && (isOpName(i + 1) || is(i + 1, Token::Word) || is(i + 1, Token::String))))
      return start;
    return std::nullopt;
  }

  /// Returns the statement that begins at token i, if one does although the end of the preceding statement was not found.
  std::optional<Start> startAt(size_t i) const {
    const Level &level = levels.back();
    bool isNested = !level.brackets.empty(), isFirst = tokens[i].isFirst;
    if (isNested && !isFirst)
      return std::nullopt;
    if (std::optional<Start> definition = definitionAt(i, /*loosely=*/false))
      return !isNested || isOpName(definition->op) ? definition : std::nullopt;
    StringRef word = at(i);
    if (!isNested && isFirst && is(i, Token::Word) && at(i + 1) == "=" && isOpName(i + 2)) // a name without '%'
      return Start{i + 2, {}};
    bool isReturn = is(i, Token::Word) && isFirst && word == "return";
    bool isKeyword = is(i, Token::Word) && isFirst && llvm::is_contained({"call", "module", "func"}, word);
    bool isQuoted = is(i, Token::String) && isFirst && at(i + 1) == "(";
    bool isAlias = is(i, Token::Attribute) && isFirst && at(i + 1) == "=";
    bool isNextAtTop = levels.size() == 1 && isFirst && i > 0 && at(i - 1) == "}";
    bool isOwn = isOpName(i) && (!isNested || word.starts_with("lathe.") || word.starts_with("func."));
    bool isBinding = isFirst && is(i, Token::Value) && !isNested &&
                     (at(i + 1) == "=" || is(i + 1, Token::Word) || (at(i + 1) == ":" && at(i + 2) == "="));
    if (isBinding)
      return definitionAt(i, /*loosely=*/true);
    if (isOwn || isReturn ||
        (!isNested && (isKeyword || isQuoted || isAlias || isNextAtTop || (isFirst && is(i, Token::Label)))))
      return Start{i, {}};
    return std::nullopt;
  }

  static bool isOfTop(StringRef op) {
    return llvm::is_contained({"func.func", "lathe.variable", "lathe.dim", "lathe.extern", "module", ""}, op);
  }

  void endCurrent(size_t end) {
    if (levels.back().current >= 0)
      statements[levels.back().current].end = end;
    levels.back().current = -1;
    levels.back().brackets.clear();
  }

  void closeRegion(bool isClosed, size_t end) {
    endCurrent(end);
    statements[levels.back().owner].isClosed &= isClosed;
    levels.pop_back();
  }

  /// Opens and closes regions if the op that begins shows that a brace is missing.
  void mendLevels(StringRef op, size_t before) {
    int previous = std::exchange(levels.back().current, -1);
    levels.back().brackets.clear();
    if (previous >= 0) {
      Statement &statement = statements[previous];
      statement.end = before;
      bool opens = llvm::is_contained({"func.func", "lathe.scan", "lathe.while", "lathe.if", "lathe.checkpoint"}, statement.op);
      if (opens && !statement.hasRegion && !isOfTop(op) && (op != "return" || statement.op == "func.func")) {
        statement.hasRegion = true;
        statement.isOpened = false;
        statement.headEnd = before;
        levels.back().current = previous;
        levels.push_back({previous, -1, ""});
      }
    }
    auto endsAt = [&](StringRef owner) { return owner == "module" || (op != "func.func" && owner == "func.func"); };
    if (op == "func.func" || op == "return")
      while (levels.size() > 1 && !endsAt(statements[levels.back().owner].op))
        closeRegion(/*isClosed=*/false, before);
    endCurrent(before);
  }

  /// Begins a statement at token i. Returns the last of its tokens that were read.
  size_t begin(size_t i, const Start &start) {
    mendLevels(is(start.op, Token::Word) && tokens[i].isFirst ? opAt(start.op) : "", i > 0 ? tokens[i - 1].end : 0);
    Statement statement;
    statement.begin = tokens[i].begin;
    statement.names = start.names;
    statement.parent = levels.back().owner;
    bool hasName = is(start.op, Token::Word) || is(start.op, Token::String);
    if (hasName && (start.op == i || !tokens[start.op].isFirst))
      statement.op = opAt(start.op).trim('"');
    levels.back().current = statements.size();
    statements.push_back(std::move(statement));
    return hasName ? std::max(start.op, i) : std::max(i, start.op > i ? start.op - 1 : i);
  }

  /// True if a '{' opens a region rather than a list of attributes.
  bool opensRegion(size_t i) const {
    StringRef before = i > 0 ? at(i - 1) : "", next = at(i + 1), afterNext = at(i + 2);
    if (before == "attributes")
      return false;
    if (!levels.back().brackets.empty()) // the '(' of a function whose ')' is missing
      return statements[levels.back().current].op == "func.func" && is(i + 1, Token::Value) && afterNext == "=";
    if (before == "else" || before == "do" || is(i + 1, Token::Value) || is(i + 1, Token::Label))
      return true;
    if (is(i + 1, Token::Word) || is(i + 1, Token::String))
      return next == "return" || (afterNext != "=" && afterNext != "," && afterNext != "}");
    if (next == "}")
      return llvm::is_contained({"module", "func.func"}, statements[levels.back().current].op);
    return i + 1 >= tokens.size() || tokens[i + 1].isFirst;
  }

  void close(char c) {
    std::string &brackets = levels.back().brackets;
    static constexpr StringRef kOpen = "([{<", kClose = ")]}>";
    size_t match = brackets.rfind(kOpen[kClose.find(c)]);
    if (match != std::string::npos)
      brackets.resize(match);
  }

  size_t take(size_t i) {
    StringRef token = at(i);
    bool isMark = is(i, Token::Mark);
    size_t before = i > 0 ? tokens[i - 1].end : 0;
    bool closesRegion = isMark && token == "}" && levels.size() > 1 && !StringRef(levels.back().brackets).contains('{');
    if (closesRegion)
      return closeRegion(/*isClosed=*/true, before), i;
    bool isStray = isMark && token == "}" && levels.size() == 1 && !StringRef(levels.back().brackets).contains('{');
    if (levels.back().current < 0 || isStray)
      return begin(i, isStray ? Start{i, {}} : definitionAt(i, /*loosely=*/true).value_or(Start{i, {}}));
    if (std::optional<Start> start = startAt(i))
      return begin(i, *start);
    Statement &current = statements[levels.back().current];
    if (is(i, Token::Symbol) && current.symbol.empty() && !current.hasRegion)
      current.symbol = token.drop_front();
    if (isMark && token == "{" && opensRegion(i)) {
      Statement &owner = statements[levels.back().current];
      if (!owner.hasRegion)
        owner.headEnd = tokens[i].begin;
      owner.hasRegion = true;
      levels.push_back({levels.back().current, -1, ""});
    } else if (isMark && StringRef("([{<").contains(token[0])) {
      levels.back().brackets += token[0];
    } else if (isMark && StringRef(")]}>").contains(token[0])) {
      close(token[0]);
    }
    return i;
  }

  StringRef text;
  std::vector<Token> tokens;
  std::vector<Level> levels;
  std::vector<Statement> statements;
};
} // namespace

std::vector<Statement> lathe::statementsOf(StringRef text) { return Splitter(text).run(); }
