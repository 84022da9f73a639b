// Reads PTX: modules, declarations and initialisers.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Parser.h"

#include <charconv>

namespace standin {

bool parseType(std::string_view word, Type &type) {
  static const std::map<std::string_view, Type> types = {
      {"b1", {'b', 1}},
      {"b8", {'b', 8}},
      {"b16", {'b', 16}},
      {"b32", {'b', 32}},
      {"b64", {'b', 64}},
      {"b128", {'b', 128}},
      {"u8", {'u', 8}},
      {"u16", {'u', 16}},
      {"u32", {'u', 32}},
      {"u64", {'u', 64}},
      {"s8", {'s', 8}},
      {"s16", {'s', 16}},
      {"s32", {'s', 32}},
      {"s64", {'s', 64}},
      {"f16", {'f', 16}},
      {"f32", {'f', 32}},
      {"f64", {'f', 64}},
      {"f16x2", {'f', 32, true}},
      {"bf16", {'h', 16}},
      {"bf16x2", {'h', 32, true}},
      {"tf32", {'t', 32}},
      {"pred", {'p', 1}},
      {"e4m3x2", {'e', 16, true}},
      {"e5m2x2", {'g', 16, true}},
      {"u16x2", {'u', 32, true}},
      {"s16x2", {'s', 32, true}},
      {"e4m3", {'e', 8}},
      {"e5m2", {'g', 8}},
  };
  const auto found = types.find(word);
  if (found == types.end())
    return false;
  type = found->second;
  return true;
}

u64 Parser::integer() {
  const bool negative = lexer.accept("-");
  const Token token = lexer.take();
  std::string_view text = token.text;
  while (!text.empty() && (text.back() == 'U' || text.back() == 'u'))
    text.remove_suffix(1);
  int base = 10;
  if (text.substr(0, 2) == "0x" || text.substr(0, 2) == "0X") {
    base = 16;
    text.remove_prefix(2);
  }
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (token.kind != Token::Number || error != std::errc() || end != text.data() + text.size())
    throw SyntaxError{token.line, "expected an integer, found '" + std::string(token.text) + "'"};
  return negative ? 0 - value : value;
}

std::string Parser::name() {
  const Token token = lexer.take();
  if (token.kind != Token::Word)
    throw SyntaxError{token.line, "expected a name, found '" + std::string(token.text) + "'"};
  return std::string(token.text);
}

void Parser::version() {
  const std::string text(lexer.take().text);
  if (sscanf(text.c_str(), "%u.%u", &source.versionMajor, &source.versionMinor) != 2)
    fail("expected a version, found '" + text + "'");
}

void Parser::target() {
  do {
    const std::string text = name();
    if (text.rfind("sm_", 0) == 0) {
      source.target = static_cast<u32>(atoi(text.c_str() + 3));
      source.targetSuffix = isalpha(static_cast<unsigned char>(text.back())) ? text.back() : 0;
    }
  } while (lexer.accept(","));
}

void Parser::skipBraces() {
  while (!lexer.peek().is("{"))
    lexer.take();
  int depth = 0;
  do {
    if (lexer.peek().kind == Token::End)
      fail("a brace is not closed");
    const Token token = lexer.take();
    depth += token.is("{") - token.is("}");
  } while (depth);
}

/// After `.loc`: file, line and column, then perhaps where it was inlined, all on one line.
void Parser::location() {
  const u32 present = lexer.peek().line;
  const u32 file = static_cast<u32>(integer()), line = static_cast<u32>(integer());
  loc = static_cast<u32>(source.locations.size());
  source.locations.push_back({file, line});
  while (lexer.peek().line == present && lexer.peek().kind != Token::End)
    lexer.take();
}

void Parser::module() {
  bool isExtern = false;
  while (lexer.peek().kind != Token::End) {
    const Token token = lexer.take();
    const std::string_view text = token.text;
    if (text == ".version")
      version();
    else if (text == ".target")
      target();
    else if (text == ".address_size")
      integer();
    else if (text == ".file") {
      const u32 index = static_cast<u32>(integer());
      source.files[index] = std::string(lexer.take().text);
      while (lexer.accept(","))
        integer();
    } else if (text == ".section")
      skipBraces();
    else if (text == ".loc")
      location();
    else if (text == ".pragma") {
      lexer.take();
      lexer.expect(";");
    } else if (text == ".visible" || text == ".weak" || text == ".common") {
    } else if (text == ".extern")
      isExtern = true;
    else if (text == ".entry" || text == ".func") {
      function(text == ".entry");
      isExtern = false;
    } else if (text == ".global" || text == ".const" || text == ".shared") {
      variables(text == ".global"  ? Space::Global
                : text == ".const" ? Space::Const
                                   : Space::Shared,
                isExtern, source.variables);
      isExtern = false;
    } else if (text == ".alias") {
      throw SyntaxError{token.line, "unknown directive '.alias'"};
    } else if (text != ";")
      throw SyntaxError{token.line, "unknown directive '" + std::string(text) + "'"};
  }
}

void Parser::variables(Space space, bool isExtern, std::vector<Variable> &into) {
  Variable first;
  first.space = space;
  first.isExtern = isExtern;
  u64 vector = 1;
  while (lexer.peek().text.substr(0, 1) == ".") {
    const std::string word = name();
    if (word == ".align")
      first.align = integer();
    else if (word == ".v2" || word == ".v4")
      vector = static_cast<u64>(word[2] - '0');
    else if (word == ".ptr" || word == ".attribute" || word == ".managed") {
      if (word == ".attribute")
        while (!lexer.accept(")"))
          lexer.take();
    } else if (word != ".global" && word != ".shared" && word != ".const" && word != ".local" &&
               !parseType(std::string_view(word).substr(1), first.type))
      fail("unknown directive '" + word + "' in a declaration");
  }
  do {
    Variable variable = first;
    variable.name = name();
    u64 count = 1;
    while (lexer.accept("[")) {
      if (lexer.accept("]")) {
        variable.isUnsized = true;
        continue;
      }
      count *= integer();
      lexer.expect("]");
    }
    variable.size = variable.isUnsized ? 0 : count * vector * variable.type.bytes();
    variable.align = std::max<u64>(variable.align, variable.type.bytes() * vector);
    if (lexer.accept("="))
      initialiser(variable);
    into.push_back(std::move(variable));
  } while (space != Space::Param && lexer.accept(","));
}

void Parser::initialiser(Variable &variable) {
  u64 at = 0;
  element(variable, at);
  if (variable.isUnsized)
    variable.size = at;
  if (at > variable.size)
    fail("the initialiser of '" + variable.name + "' is longer than it");
}

void Parser::element(Variable &variable, u64 &at) {
  if (lexer.accept("{")) {
    if (lexer.accept("}"))
      return;
    do
      element(variable, at);
    while (lexer.accept(","));
    lexer.expect("}");
    return;
  }
  const u64 width = variable.type.bytes();
  if (variable.data.size() < at + width)
    variable.data.resize(at + width);
  u64 value = 0;
  if (lexer.peek().kind == Token::Word) {
    Variable::Reference reference{at, name(), 0, false};
    if (reference.name == "generic") {
      lexer.expect("(");
      reference.generic = true;
      reference.name = name();
      lexer.expect(")");
    }
    if (lexer.accept("+"))
      reference.addend = static_cast<s64>(integer());
    variable.references.push_back(reference);
  } else {
    const Operand constant = number(lexer.accept("-"));
    value = constant.bits;
    if (constant.isFloat && variable.type.bits == 32)
      value = std::bit_cast<u32>(static_cast<float>(std::bit_cast<double>(value)));
  }
  memcpy(variable.data.data() + at, &value, std::min<u64>(width, 8));
  at += width;
}

void Parser::parameters(std::vector<Variable> &into) {
  if (!lexer.accept("("))
    return;
  while (!lexer.accept(")")) {
    const std::string word = name();
    if (word == ".param")
      variables(Space::Param, false, into);
    else if (word == ".reg")
      fail("parameters in registers are not known");
    else
      fail("expected .param, found '" + word + "'");
    lexer.accept(",");
  }
}

void Parser::triple(u32 (&into)[3]) {
  for (u32 i = 0; i < 3; ++i) {
    into[i] = i == 0 || lexer.accept(",") ? static_cast<u32>(integer()) : 1;
  }
}

void Parser::functionDirectives(Function &function) {
  while (lexer.peek().kind == Token::Word && lexer.peek().text[0] == '.') {
    const std::string word = name();
    u32 ignored[3];
    if (word == ".reqntid")
      triple(function.requiredThreads);
    else if (word == ".maxntid")
      triple(function.maxThreads);
    else if (word == ".reqnctapercluster")
      triple(function.cluster);
    else if (word == ".maxnreg" || word == ".minnctapersm" || word == ".maxnctapersm" || word == ".maxclusterrank")
      triple(ignored);
    else if (word == ".pragma") {
      lexer.take();
      lexer.expect(";");
    } else if (word != ".noreturn" && word != ".explicitcluster" && word != ".blocksareclusters")
      fail("unknown directive '" + word + "'");
  }
}

void Parser::function(bool isEntry) {
  auto made = std::make_unique<Function>();
  made->isEntry = isEntry;
  made->line = lexer.peek().line;
  if (!isEntry)
    parameters(made->results);
  made->name = name();
  parameters(made->parameters);
  functionDirectives(*made);
  if (lexer.accept(";"))
    return source.functions.push_back(std::move(made));
  made->hasBody = true;
  current = made.get();
  body();
  current = nullptr;
  source.functions.push_back(std::move(made));
}

Source parsePtx(std::string_view text) {
  Source source;
  source.text = std::make_unique<std::string>(text);
  Parser(*source.text, source).module();
  return source;
}

} // namespace standin
