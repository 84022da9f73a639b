// Lowering of statements: operands, symbols and what an operation's name says.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lower.h"

#include <algorithm>

namespace standin {

void runSpecial(Warp &warp, const Inst &inst);
void runJump(Warp &warp, const Inst &inst);
int specialKind(const std::string &name, u32 &bits);

Build::Build(Lowering &lowering, const Statement &statement) : lowering(lowering), statement(statement) {
  inst.line = statement.line;
  inst.loc = statement.loc;
  inst.statement = &statement;
  if (statement.guard != ~0u) {
    inst.guard = lowering.frame->registers[statement.guard];
    inst.guardFlip = statement.guardNegated ? ~0u : 0;
  }
}

bool Build::has(std::string_view word) {
  for (size_t i = 1; i < statement.words.size(); ++i)
    if (statement.words[i] == word && !(used >> i & 1)) {
      used |= u64(1) << i;
      return true;
    }
  return false;
}

int Build::pick(std::initializer_list<std::string_view> words, int otherwise) {
  int index = 0;
  for (const std::string_view word : words) {
    if (has(word))
      return index;
    ++index;
  }
  return otherwise;
}

std::vector<Type> Build::types() {
  std::vector<Type> found;
  Type type;
  for (size_t i = 1; i < statement.words.size(); ++i)
    if (parseType(statement.words[i], type)) {
      used |= u64(1) << i;
      found.push_back(type);
    }
  return found;
}

Type Build::type() {
  const auto found = types();
  if (found.empty())
    unknown();
  return found.back();
}

void Build::ignore(std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words)
    has(word);
}

Rounding Build::rounding(Rounding otherwise) {
  static constexpr Rounding modes[] = {Rounding::NearestEven, Rounding::Zero, Rounding::Down, Rounding::Up,
                                       Rounding::NearestAway};
  const int mode = pick({"rn", "rz", "rm", "rp", "rna"}, -1);
  return mode < 0 ? otherwise : modes[mode];
}

void Build::finish() {
  for (size_t i = 1; i < statement.words.size(); ++i)
    if (!(used >> i & 1))
      fail("unknown instruction '" + std::string(statement.text) + "': '." + std::string(statement.words[i]) +
           "' is not known");
}

const Operand &Build::operand(size_t index) const {
  if (index >= statement.operands.size())
    fail("'" + std::string(statement.text) + "' has too few operands");
  return statement.operands[index];
}

void Build::expect(size_t least, size_t most) const {
  if (count() < least || count() > most)
    fail("'" + std::string(statement.text) + "' has " + std::to_string(count()) + " operands");
}

Type Build::registerType(const Operand &operand) const {
  if (operand.kind != Operand::Register)
    fail("expected a register");
  return lowering.frame->function->registers[operand.reg];
}

Slot Build::registerSlot(const Operand &operand) {
  registerType(operand);
  return lowering.frame->registers[operand.reg];
}

u64 Build::constantBits(const Operand &operand, Type type) const {
  if (operand.floatBits == 32 && type.bits == 64 && type.kind == 'f')
    return std::bit_cast<u64>(static_cast<double>(bitsToFloat(static_cast<u32>(operand.bits))));
  if (!operand.isFloat && (operand.floatBits != 64 || type.bits == 64))
    return type.bits < 64 && type.kind != 'p' ? operand.bits & ((u64(1) << std::max(type.bits, 16u)) - 1) : operand.bits;
  const double value = std::bit_cast<double>(operand.bits);
  if (type.bits == 64)
    return operand.bits;
  if (type.bits == 32)
    return floatToBits(static_cast<float>(value));
  return type.kind == 'h' ? roundTo(bfloat, value) : roundTo(half, value);
}

Slot Build::special(const Operand &operand, Type type) {
  Inst read;
  u32 bits = 32;
  const int kind = specialKind(operand.name, bits);
  if (kind < 0)
    fail("unknown register '" + operand.name + "'");
  read.run = runSpecial;
  read.kind = static_cast<u32>(kind);
  read.size = static_cast<u8>(std::max(type.bytes(), 2u));
  read.op[0] = lowering.scratch(read.size);
  read.line = statement.line;
  read.loc = statement.loc;
  read.statement = &statement;
  lowering.append(read);
  return read.op[0];
}

Slot Build::source(const Operand &operand, Type type) {
  const u32 bytes = std::max(type.bytes(), 2u);
  u64 value;
  Space space;
  switch (operand.kind) {
  case Operand::Register: {
    const Type own = registerType(operand);
    if (own.kind == 'p' || std::max(own.bytes(), 2u) != bytes)
      fail("a register of " + std::to_string(own.bits) + " bits where '" + std::string(statement.text) + "' takes " +
           std::to_string(type.bits));
    return registerSlot(operand);
  }
  case Operand::Immediate:
    return lowering.constant(constantBits(operand, type), bytes);
  case Operand::Special:
    return special(operand, type);
  case Operand::Symbol:
    if (!symbolValue(operand.name, operand.scope, value, space))
      fail("unknown symbol '" + operand.name + "'");
    return lowering.constant(bytes == 4 ? (value + operand.bits) & 0xffffffffu : value + operand.bits, bytes);
  default:
    fail("an operand of '" + std::string(statement.text) + "' is of the wrong kind");
  }
}

Slot Build::result(const Operand &operand, Type type) {
  if (operand.kind == Operand::Sink)
    return lowering.scratch(std::max(type.bytes(), 2u));
  const Type own = registerType(operand);
  if (own.kind == 'p' || std::max(own.bytes(), 2u) != std::max(type.bytes(), 2u))
    fail("a register of " + std::to_string(own.bits) + " bits where '" + std::string(statement.text) + "' gives " +
         std::to_string(type.bits));
  return registerSlot(operand);
}

Slot Build::predicate(const Operand &operand, bool &negated) {
  negated = operand.negated;
  if (operand.kind == Operand::Sink)
    return lowering.scratch(4);
  if (operand.kind == Operand::Immediate)
    return lowering.constant(operand.bits ? allLanes : 0, 4);
  if (registerType(operand).kind != 'p')
    fail("expected a predicate register");
  return registerSlot(operand);
}

Slot Build::secondPredicate(const Operand &operand) {
  if (operand.second == ~0u)
    return noSlot;
  if (lowering.frame->function->registers[operand.second].kind != 'p')
    fail("expected a predicate register");
  return lowering.frame->registers[operand.second];
}

u64 Build::immediate(size_t index) {
  const Operand &value = operand(index);
  if (value.kind != Operand::Immediate)
    fail("expected a constant");
  return value.bits;
}

bool Build::symbolValue(const std::string &name, u32 scope, u64 &value, Space &space) {
  const Lowering::Frame &frame = *lowering.frame;
  const Function &function = *frame.function;
  for (u32 at = scope; at != ~0u; at = function.scopeParents[at])
    for (const auto &[declared, variable] : function.variables)
      if (declared == at && variable.name == name)
        if (const auto place = frame.places.find(&variable); place != frame.places.end()) {
          value = place->second;
          space = variable.space == Space::Shared ? Space::Shared : Space::Local;
          return true;
        }
  for (const auto *list : {&function.parameters, &function.results})
    for (size_t i = 0; i < list->size(); ++i)
      if ((*list)[i].name == name) {
        space = frame.isEntry ? Space::Param : Space::Local;
        value = frame.isEntry ? lowering.kernel.parameters[i].place : frame.places.at(&(*list)[i]);
        return true;
      }
  for (const Variable &variable : lowering.module.source.variables) {
    if (variable.name != name)
      continue;
    space = variable.space;
    if (variable.space == Space::Shared) {
      lowering.usesDynamicShared |= variable.isUnsized;
      value = variable.isUnsized ? lowering.dynamicShared : lowering.placeShared(variable);
    } else {
      value = lowering.module.globals.at(name).first;
    }
    return true;
  }
  return false;
}

void Build::address(const Operand &operand, size_t at) {
  if (operand.kind != Operand::Address)
    fail("expected an address");
  const Operand &base = operand.parts[0];
  inst.imm = static_cast<s64>(operand.bits);
  inst.addressSize = 8;
  if (base.kind == Operand::Register) {
    const Type own = registerType(base);
    if (own.kind == 'p' || own.bytes() < 4)
      fail("an address is not of 32 or 64 bits");
    inst.addressSize = static_cast<u8>(own.bytes());
    inst.op[at] = registerSlot(base);
    return;
  }
  u64 value = 0;
  Space space = inst.space;
  if (base.kind == Operand::Symbol) {
    if (!symbolValue(base.name, base.scope, value, space))
      fail("unknown symbol '" + base.name + "'");
    const bool isParam = inst.space == Space::Param && space == Space::Local;
    if (inst.space == Space::Generic || isParam)
      inst.space = space;
    if (inst.space != space && !(inst.space == Space::Cluster && space == Space::Shared))
      fail("'" + base.name + "' is not in the state space of '" + std::string(statement.text) + "'");
  } else if (base.kind != Operand::Sink) {
    fail("an address' base is neither a register nor a variable");
  }
  inst.op[at] = lowering.constant(value, 8);
}

void Build::listAddress(const Operand &operand, std::vector<Slot> &list) {
  address(operand, 4);
  list.push_back(inst.op[4]);
  list.push_back(inst.addressSize);
  list.push_back(static_cast<Slot>(inst.imm));
  inst.op[4] = noSlot;
}

std::vector<Slot> Build::vector(const Operand &operand, Type type, bool isResult) {
  std::vector<Slot> slots;
  if (operand.kind != Operand::Vector)
    return {isResult ? result(operand, type) : source(operand, type)};
  for (const Operand &part : operand.parts)
    slots.push_back(isResult ? result(part, type) : source(part, type));
  return slots;
}

u32 Build::branchTarget(const Operand &operand) {
  const Function &function = *lowering.frame->function;
  if (operand.kind == Operand::Symbol)
    for (u32 at = statement.scope; at != ~0u; at = function.scopeParents[at]) {
      const auto [first, last] = function.labels.equal_range(operand.name);
      for (auto label = first; label != last; ++label)
        if (label->second.scope == at)
          return label->second.statement;
    }
  fail("unknown label '" + operand.name + "'");
}

void Build::emit(Exec run) {
  inst.run = run;
  lowering.append(inst);
}

/// brx.idx: the table's name stands before its list of labels.
void Build::branchTable() {
  const Function &function = *lowering.frame->function;
  const auto found = function.targets.find(operand(1).name);
  if (found == function.targets.end())
    fail("unknown branch targets '" + operand(1).name + "'");
  lowering.kernel.tables.emplace_back();
  std::vector<u32> statements;
  for (const std::string &label : found->second) {
    Operand symbol;
    symbol.kind = Operand::Symbol;
    symbol.name = label;
    statements.push_back(branchTarget(symbol));
  }
  lowering.frame->tables.emplace_back(&lowering.kernel.tables.back(), std::move(statements));
  inst.kind = static_cast<u32>(lowering.kernel.tables.size()) - 1;
  inst.op[1] = source(0, {'u', 32});
}

void Build::returnFrom() { lowering.frame->returns.push_back(static_cast<u32>(lowering.kernel.code.size())); }

void Build::call() {
  size_t at = 0;
  std::vector<u64> results, arguments;
  const auto places = [&](const Operand &list, std::vector<u64> &into) {
    for (const Operand &part : list.parts) {
      u64 value;
      Space space;
      if (part.kind != Operand::Symbol || !symbolValue(part.name, part.scope, value, space) || space != Space::Local)
        fail("arguments of calls that are not variables of .param are not known");
      into.push_back(value);
    }
  };
  if (operand(0).kind == Operand::Vector)
    places(operand(at++), results);
  const std::string name = operand(at++).name;
  if (at < count() && operand(at).kind == Operand::Vector)
    places(operand(at++), arguments);
  const Function *callee = nullptr;
  for (const auto &function : lowering.module.source.functions)
    if (function->name == name && (function->hasBody || !callee))
      callee = function.get();
  if (!callee || at != count())
    fail(name.empty() || name[0] == '%' ? "calls through pointers are not known" : "unknown function '" + name + "'");
  if (!callee->hasBody)
    fail("'" + name + "' is only declared");
  if (callee->results.size() != results.size() || callee->parameters.size() != arguments.size())
    fail("a call of '" + name + "' with the wrong number of arguments");
  u32 skip = ~0u;
  if (statement.guard != ~0u) { // those whose guard is false jump over the body
    Inst jump = inst;
    jump.run = runJump;
    jump.guardFlip = ~jump.guardFlip;
    skip = lowering.append(jump);
  }
  lowering.inlineBody(*callee, results, arguments);
  if (skip != ~0u)
    lowering.kernel.code[skip].target = static_cast<u32>(lowering.kernel.code.size());
}

} // namespace standin
