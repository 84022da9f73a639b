// Lowering: from a statement of the text to an instruction that is executed.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Formats.h"
#include "Machine.h"

#include <initializer_list>

namespace standin {

/// One kernel being lowered; functions that it calls become part of it.
class Lowering {
public:
  Lowering(Module &module, Kernel &kernel, u64 dynamicShared) : module(module), kernel(kernel), dynamicShared(dynamicShared) {}
  void entry(const Function &function);
  bool needsDynamicShared() const { return usesDynamicShared; }

  Slot constant(u64 bits, u32 bytes);
  Slot scratch(u32 bytes);
  const Slot *keep(std::vector<Slot> list);
  u32 append(const Inst &inst);
  /// The next instruction branches to a statement.
  void noteBranch(u32 statement);

  Module &module;
  Kernel &kernel;
  u64 dynamicShared; // where it begins

private:
  friend class Build;
  struct Frame {
    const Function *function;
    std::vector<Slot> registers;
    std::map<const Variable *, u64> places;
    std::vector<u32> statementAt;              // index of each statement's first instruction
    std::vector<std::pair<u32, u32>> branches; // instruction, statement it goes to
    std::vector<std::pair<std::vector<u32> *, std::vector<u32>>> tables;
    std::vector<u32> returns;
    bool isEntry;
  };
  void inlineBody(const Function &function, const std::vector<u64> &results, const std::vector<u64> &arguments);
  void body(Frame &frame);
  void placeVariables(Frame &frame);
  u64 placeShared(const Variable &variable);

  Frame *frame = nullptr;
  u32 depth = 0;
  std::map<std::pair<u64, u32>, Slot> constants;
  std::map<const Variable *, u64> sharedPlaces;
  bool usesDynamicShared = false;
};

class Build;

/// Helps an operation's builder to read its statement.
class Build {
public:
  Build(Lowering &lowering, const Statement &statement);

  [[noreturn]] void fail(const std::string &what) const { throw SyntaxError{statement.line, what}; }
  [[noreturn]] void unknown() const { fail("unknown instruction '" + std::string(statement.text) + "'"); }

  /// True if the operation's name contains `word`, which then counts as read.
  bool has(std::string_view word);
  /// The first of `words` that it holds, or `otherwise`.
  int pick(std::initializer_list<std::string_view> words, int otherwise);
  /// The types in the operation's name, in their order.
  std::vector<Type> types();
  Type type(); // the only or last one
  void ignore(std::initializer_list<std::string_view> words);
  void ignoreAll() { used = ~u64(0); }
  Rounding rounding(Rounding otherwise);
  /// Fails if a word of the name was not accounted for.
  void finish();

  size_t count() const { return statement.operands.size(); }
  const Operand &operand(size_t index) const;
  void expect(size_t least, size_t most) const;

  Slot source(const Operand &operand, Type type);
  Slot source(size_t index, Type type) { return source(operand(index), type); }
  Slot result(const Operand &operand, Type type);
  Slot result(size_t index, Type type) { return result(operand(index), type); }
  Slot predicate(const Operand &operand, bool &negated);
  Slot secondPredicate(const Operand &operand);
  u64 immediate(size_t index);
  void call();
  void branchTable();
  void returnFrom();
  Type registerType(const Operand &operand) const;
  Slot registerSlot(const Operand &operand);
  /// Sets op[at] and imm to an address' base and offset, space if the base is a variable. Returns whether it is constant.
  void address(const Operand &operand, size_t at);
  /// Three words for Inst::list that listAddress() reads: a register, its bytes, an offset.
  void listAddress(const Operand &operand, std::vector<Slot> &list);
  std::vector<Slot> vector(const Operand &operand, Type type, bool isResult);
  u32 branchTarget(const Operand &operand);

  void emit(Exec run);
  /// A value of a variable in the form that mov gives it.
  bool symbolValue(const std::string &name, u32 scope, u64 &value, Space &space);

  Inst inst;
  Lowering &lowering;
  const Statement &statement;

private:
  Slot special(const Operand &operand, Type type);
  u64 constantBits(const Operand &operand, Type type) const;
  u64 used = 1; // words of the name
};

using Builder = void (*)(Build &);
/// By the first word of an instruction's name; null if there is none.
Builder findBuilder(std::string_view name);

void buildWarpSync(Build &build);
/// Each family of operations adds its own.
void addIntegerOps(std::map<std::string_view, Builder> &ops);
void addBitOps(std::map<std::string_view, Builder> &ops);
void addFloatOps(std::map<std::string_view, Builder> &ops);
void addConvertOps(std::map<std::string_view, Builder> &ops);
void addMoveOps(std::map<std::string_view, Builder> &ops);
void addCompareOps(std::map<std::string_view, Builder> &ops);
void addMemoryOps(std::map<std::string_view, Builder> &ops);
void addAtomicOps(std::map<std::string_view, Builder> &ops);
void addControlOps(std::map<std::string_view, Builder> &ops);
void addWarpOps(std::map<std::string_view, Builder> &ops);
void addMatrixOps(std::map<std::string_view, Builder> &ops);
void addCopyOps(std::map<std::string_view, Builder> &ops);
void addBarrierOps(std::map<std::string_view, Builder> &ops);
void addWgmmaOps(std::map<std::string_view, Builder> &ops);

} // namespace standin
