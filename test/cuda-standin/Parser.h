// Reads PTX: declarations here, functions' bodies in ParserBody.cpp.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Lexer.h"
#include "Source.h"

namespace standin {

class Parser {
public:
  Parser(std::string_view text, Source &source) : lexer(text), source(source) {}
  void module();

private:
  [[noreturn]] void fail(const std::string &what) const { throw SyntaxError{lexer.peek().line, what}; }
  u64 integer();
  std::string name();

  void version();
  void target();
  void skipBraces();
  void location();
  void function(bool isEntry);
  void parameters(std::vector<Variable> &into);
  void functionDirectives(Function &function);
  void triple(u32 (&into)[3]);
  /// After the state space's word: `.align 4 .b8 name[16] = {...}`, more than one after commas.
  void variables(Space space, bool isExtern, std::vector<Variable> &into);
  void initialiser(Variable &variable);
  void element(Variable &variable, u64 &at);

  void body();
  void statementOrDirective();
  bool directive();
  void registers();
  void instruction();
  void operands(Statement &statement);
  Operand operand();
  Operand address();
  Operand list(std::string_view close);
  Operand word(const std::string &name);
  Operand number(bool negative);

  Lexer lexer;
  Source &source;
  Function *current = nullptr;
  u32 scope = 0, loc = 0;
  std::vector<std::map<std::string, u32>> scopeRegisters;
};

} // namespace standin
