// Reads PTX: the bodies of functions.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Parser.h"

#include <charconv>
#include <cstdlib>

namespace standin {

void Parser::body() {
  lexer.expect("{");
  scope = 0;
  loc = 0;
  scopeRegisters.assign(1, {});
  while (true) {
    if (lexer.peek().kind == Token::End)
      fail("the body of '" + current->name + "' is not closed");
    if (lexer.accept("{")) {
      current->scopeParents.push_back(scope);
      scope = static_cast<u32>(current->scopeParents.size()) - 1;
      scopeRegisters.resize(scope + 1);
    } else if (lexer.accept("}")) {
      if (scope == 0)
        return;
      scope = current->scopeParents[scope];
    } else {
      statementOrDirective();
    }
  }
}

void Parser::statementOrDirective() {
  if (lexer.accept(";"))
    return;
  if (lexer.peek().kind == Token::Word && lexer.peek().text[0] == '.' && directive())
    return;
  instruction();
}

bool Parser::directive() {
  const std::string word(lexer.take().text);
  if (word == ".reg") {
    registers();
  } else if (word == ".loc") {
    location();
    return true;
  } else if (word == ".pragma") {
    lexer.take();
  } else if (word == ".local" || word == ".shared" || word == ".param" || word == ".global" || word == ".const") {
    std::vector<Variable> made;
    variables(word == ".local"    ? Space::Local
              : word == ".shared" ? Space::Shared
              : word == ".param"  ? Space::Param
              : word == ".global" ? Space::Global
                                  : Space::Const,
              false, made);
    for (Variable &variable : made)
      current->variables.emplace_back(scope, std::move(variable));
  } else {
    fail("unknown directive '" + word + "'");
  }
  lexer.expect(";");
  return true;
}

void Parser::registers() {
  Type type;
  const std::string word = name();
  if (!parseType(std::string_view(word).substr(1), type))
    fail("unknown type '" + word + "' of a register");
  do {
    const std::string prefix = name();
    if (!lexer.accept("<")) {
      scopeRegisters[scope][prefix] = static_cast<u32>(current->registers.size());
      current->registers.push_back(type);
      continue;
    }
    const u64 count = integer();
    lexer.expect(">");
    if (count > 1000000)
      fail("too many registers");
    for (u64 i = 0; i < count; ++i) {
      scopeRegisters[scope][prefix + std::to_string(i)] = static_cast<u32>(current->registers.size());
      current->registers.push_back(type);
    }
  } while (lexer.accept(","));
}

/// A label, or an instruction up to its semicolon.
void Parser::instruction() {
  Statement statement;
  statement.line = lexer.peek().line;
  statement.loc = loc;
  statement.scope = scope;
  if (lexer.accept("@")) {
    statement.guardNegated = lexer.accept("!");
    const Operand guard = word(name());
    if (guard.kind != Operand::Register || current->registers[guard.reg].kind != 'p')
      fail("a guard is not a predicate register");
    statement.guard = guard.reg;
  }
  const Token first = lexer.take();
  if (first.kind != Token::Word)
    throw SyntaxError{first.line, "expected an instruction, found '" + std::string(first.text) + "'"};
  if (lexer.accept(":")) {
    if (lexer.peek().is(".branchtargets")) {
      lexer.take();
      auto &targets = current->targets[std::string(first.text)];
      do
        targets.push_back(name());
      while (lexer.accept(","));
      lexer.expect(";");
      return;
    }
    if (lexer.peek().is(".calltargets") || lexer.peek().is(".callprototype"))
      fail("calls through pointers are not known");
    current->labels.emplace(first.text, Label{scope, static_cast<u32>(current->body.size())});
    return;
  }
  statement.text = first.text;
  std::string_view rest = first.text;
  while (true) {
    const size_t point = rest.find('.');
    statement.words.push_back(rest.substr(0, point));
    if (point == rest.npos)
      break;
    rest.remove_prefix(point + 1);
  }
  operands(statement);
  current->body.push_back(std::move(statement));
}

void Parser::operands(Statement &statement) {
  if (lexer.accept(";"))
    return;
  do
    statement.operands.push_back(operand());
  while (lexer.accept(","));
  lexer.expect(";");
}

Operand Parser::list(std::string_view close) {
  Operand made;
  made.kind = Operand::Vector;
  if (lexer.accept(close))
    return made;
  do
    made.parts.push_back(operand());
  while (lexer.accept(","));
  lexer.expect(close);
  return made;
}

Operand Parser::operand() {
  if (lexer.accept("{"))
    return list("}");
  if (lexer.accept("("))
    return list(")");
  if (lexer.accept("["))
    return address();
  if (lexer.accept("!")) {
    Operand made = operand();
    made.negated = true;
    return made;
  }
  if (lexer.peek().is("-")) {
    lexer.take();
    return number(true);
  }
  if (lexer.peek().kind == Token::Number)
    return number(false);
  Operand made = word(name());
  if (lexer.accept("|")) {
    const Operand other = word(name());
    if (other.kind == Operand::Register)
      made.second = other.reg;
  }
  if (made.kind == Operand::Symbol && (lexer.peek().is("+") || lexer.peek().is("-"))) {
    const bool minus = lexer.take().is("-");
    const u64 offset = integer();
    made.bits = minus ? 0 - offset : offset;
  }
  return made;
}

/// After the bracket: a base, an offset, and for tensors the coordinates or the distance of multicasts.
Operand Parser::address() {
  Operand made;
  made.kind = Operand::Address;
  if (lexer.peek().kind == Token::Number || lexer.peek().is("-")) {
    made.bits = integer();
    made.parts.emplace_back();
  } else {
    made.parts.push_back(word(name()));
    if (made.parts[0].kind == Operand::Sink)
      fail("an address has no base");
  }
  while (lexer.peek().is("+") || lexer.peek().is("-")) {
    const bool minus = lexer.take().is("-");
    const u64 offset = integer();
    made.bits += minus ? 0 - offset : offset;
  }
  while (lexer.accept(","))
    made.parts.push_back(operand());
  lexer.expect("]");
  return made;
}

Operand Parser::word(const std::string &name) {
  Operand made;
  if (name == "_")
    return made;
  for (u32 at = scope; at != ~0u; at = current->scopeParents[at]) {
    const auto found = scopeRegisters[at].find(name);
    if (found == scopeRegisters[at].end())
      continue;
    made.kind = Operand::Register;
    made.reg = found->second;
    return made;
  }
  made.name = name;
  made.scope = scope;
  if (name == "WARP_SZ") {
    made.kind = Operand::Immediate;
    made.bits = warpSize;
  } else {
    made.kind = name[0] == '%' ? Operand::Special : Operand::Symbol;
  }
  return made;
}

Operand Parser::number(bool negative) {
  Operand made;
  made.kind = Operand::Immediate;
  const std::string text(lexer.peek().text);
  const std::string start = text.substr(0, 2);
  if ((start == "0f" || start == "0F") && text.size() == 10) {
    made.floatBits = 32;
    made.bits = strtoull(text.c_str() + 2, nullptr, 16) ^ (negative ? 0x80000000u : 0);
    lexer.take();
  } else if ((start == "0d" || start == "0D") && text.size() == 18) {
    made.floatBits = 64;
    made.bits = strtoull(text.c_str() + 2, nullptr, 16) ^ (negative ? u64(1) << 63 : 0);
    lexer.take();
  } else if (start != "0x" && start != "0X" && text.find_first_of(".eE") != text.npos) {
    made.isFloat = true;
    made.bits = std::bit_cast<u64>(strtod(text.c_str(), nullptr) * (negative ? -1 : 1));
    lexer.take();
  } else {
    const u64 value = integer();
    made.bits = negative ? 0 - value : value;
  }
  return made;
}

} // namespace standin
