// PTX as text has it: what the parser makes and the lowering reads.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Types.h"

#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace standin {

enum class Space : u8 { Generic, Global, Shared, Cluster, Local, Const, Param };

struct Type {
  char kind = 'b'; // b, u, s, f, or 'h' for bf16, 't' for tf32, 'p' for pred
  u32 bits = 0;
  bool packed = false; // f16x2, bf16x2 and the like
  u32 bytes() const { return kind == 'p' ? 4 : bits < 8 ? 1 : bits / 8; }
};

/// One operand of an instruction.
struct Operand {
  enum Kind : u8 { Register, Immediate, Special, Symbol, Vector, Address, Sink } kind = Sink;
  u32 reg = 0;                // Register: index into the function's registers
  u32 second = ~0u;           // %p|%q: the second register
  bool negated = false;       // !%p
  bool isFloat = false;       // Immediate: a decimal number with a point, its bits those of a double
  u8 floatBits = 0;           // Immediate: 32 or 64 for 0f and 0d
  u64 bits = 0;               // Immediate; Symbol and Address: the offset
  std::string name;           // Symbol, Special
  u32 scope = 0;              // Symbol: where it was written
  std::vector<Operand> parts; // Vector; Address: the base, then coordinates
};

struct Statement {
  std::vector<std::string_view> words; // the operation's name, cut at the points
  std::string_view text;               // the name as a whole
  std::vector<Operand> operands;
  u32 guard = ~0u;
  bool guardNegated = false;
  u32 line = 0, loc = 0, scope = 0;
};

/// A variable of any state space, parameters included.
struct Variable {
  std::string name;
  Space space = Space::Global;
  Type type;
  u64 align = 1, size = 0;
  bool isExtern = false, isUnsized = false;
  std::vector<u8> data; // the initialiser's bytes; what is missing is 0
  struct Reference {
    u64 offset;
    std::string name;
    s64 addend;
    bool generic;
  };
  std::vector<Reference> references;
  u64 place = 0; // offset within its space, or for functions' parameters and locals within the frame
};

struct Label {
  u32 scope;
  u32 statement;
};

struct Function {
  std::string name;
  bool isEntry = false, hasBody = false;
  std::vector<Variable> results, parameters;
  std::vector<Type> registers;
  std::vector<Statement> body;
  std::multimap<std::string, Label> labels;
  std::vector<u32> scopeParents{~0u};
  std::vector<std::pair<u32, Variable>> variables;         // with their scopes
  std::map<std::string, std::vector<std::string>> targets; // .branchtargets
  u32 requiredThreads[3] = {0, 0, 0}, maxThreads[3] = {0, 0, 0}, cluster[3] = {0, 0, 0};
  u32 line = 0;
};

struct Location {
  u32 file, line;
};

struct Source {
  std::unique_ptr<std::string> text; // what the views point into; its address survives moves
  u32 versionMajor = 0, versionMinor = 0, target = 0;
  char targetSuffix = 0; // 'a', 'f' or none
  std::vector<Variable> variables;
  std::vector<std::unique_ptr<Function>> functions;
  std::map<u32, std::string> files;
  std::vector<Location> locations{{0, 0}};
};

/// A fault in a statement of the text.
struct SyntaxError {
  u32 line;
  std::string what;
};

/// Throws SyntaxError.
Source parsePtx(std::string_view text);

/// "f32" and its like; false if `word` names no type.
bool parseType(std::string_view word, Type &type);

} // namespace standin
