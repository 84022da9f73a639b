// Lowering of kernels: registers, variables, labels and the calls that become part of them.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Lower.h"

#include <algorithm>

namespace standin {

void runExit(Warp &warp, const Inst &inst);
void layOut(Kernel &kernel);

Slot Lowering::scratch(u32 bytes) {
  const u32 size = bytes * warpSize;
  const Slot slot = static_cast<Slot>(roundUp(kernel.registerBytes, std::min(size, 64u)));
  kernel.registerBytes = slot + size;
  return slot;
}

/// The constant in all 32 lanes, as a register has it.
Slot Lowering::constant(u64 bits, u32 bytes) {
  const auto [at, isNew] = constants.try_emplace({bits, bytes}, 0);
  if (isNew) {
    const size_t offset = roundUp(kernel.constants.size(), 64);
    kernel.constants.resize(offset + bytes * warpSize);
    for (u32 lane = 0; lane < warpSize; ++lane)
      memcpy(kernel.constants.data() + offset + lane * bytes, &bits, bytes);
    at->second = static_cast<Slot>(offset) | constantBit;
  }
  return at->second;
}

const Slot *Lowering::keep(std::vector<Slot> list) {
  kernel.lists.push_back(std::move(list));
  return kernel.lists.back().data();
}

u32 Lowering::append(const Inst &inst) {
  kernel.code.push_back(inst);
  return static_cast<u32>(kernel.code.size()) - 1;
}

void Lowering::noteBranch(u32 statement) { frame->branches.emplace_back(static_cast<u32>(kernel.code.size()), statement); }

u64 Lowering::placeShared(const Variable &variable) {
  const auto [at, isNew] = sharedPlaces.try_emplace(&variable, 0);
  if (isNew) {
    at->second = roundUp(kernel.staticShared, variable.align);
    kernel.staticShared = at->second + variable.size;
  }
  return at->second;
}

void Lowering::placeVariables(Frame &inner) {
  for (const auto &[scope, variable] : inner.function->variables) {
    if (variable.space == Space::Shared) {
      inner.places[&variable] = placeShared(variable);
      continue;
    }
    if (variable.space != Space::Local && variable.space != Space::Param)
      continue; // of .global and .const: the module has them
    const u64 place = roundUp(kernel.localBytes, variable.align);
    inner.places[&variable] = place;
    kernel.localBytes = roundUp(place + variable.size, 8);
  }
}

void Lowering::body(Frame &inner) {
  Frame *outer = frame;
  frame = &inner;
  const Function &function = *inner.function;
  for (const Type &type : function.registers)
    inner.registers.push_back(type.kind == 'p' ? static_cast<Slot>(roundUp(kernel.registerBytes, 4))
                                               : scratch(std::max(type.bytes(), 2u))),
        kernel.registerBytes = type.kind == 'p' ? inner.registers.back() + 4 : kernel.registerBytes;
  placeVariables(inner);
  for (const Statement &statement : function.body) {
    inner.statementAt.push_back(static_cast<u32>(kernel.code.size()));
    const Builder builder = findBuilder(statement.words[0]);
    Build build(*this, statement);
    if (!builder)
      build.unknown();
    builder(build);
    build.finish();
  }
  const u32 end = static_cast<u32>(kernel.code.size());
  inner.statementAt.push_back(end);
  if (inner.isEntry) {
    Inst exit;
    exit.run = runExit;
    append(exit);
  }
  for (const auto &[inst, statement] : inner.branches)
    kernel.code[inst].target = inner.statementAt[statement];
  for (auto &[table, statements] : inner.tables)
    for (const u32 statement : statements)
      table->push_back(inner.statementAt[statement]);
  for (const u32 inst : inner.returns)
    kernel.code[inst].target = end;
  frame = outer;
}

void Lowering::entry(const Function &function) {
  kernel.name = function.name;
  kernel.source = &module.source;
  kernel.parameters = function.parameters;
  for (Variable &parameter : kernel.parameters) {
    parameter.place = roundUp(kernel.paramBytes, parameter.align);
    kernel.paramBytes = parameter.place + parameter.size;
  }
  const u64 most = module.source.versionMajor * 10 + module.source.versionMinor >= 81 ? 32764 : 4352;
  if (kernel.paramBytes > most)
    throw SyntaxError{function.line, std::to_string(kernel.paramBytes) + " bytes of parameters, more than " +
                                         std::to_string(most) + " in this version"};
  std::copy(function.requiredThreads, function.requiredThreads + 3, kernel.requiredThreads);
  std::copy(function.maxThreads, function.maxThreads + 3, kernel.maxThreads);
  std::copy(function.cluster, function.cluster + 3, kernel.cluster);
  for (const Variable &variable : module.source.variables)
    if (variable.space == Space::Shared && !variable.isUnsized && function.hasBody)
      for (const Statement &statement : function.body) { // a module's shared variables count where they are used
        bool uses = false;
        for (const Operand &operand : statement.operands) {
          uses |= operand.name == variable.name;
          for (const Operand &part : operand.parts)
            uses |= part.name == variable.name;
        }
        if (uses) {
          placeShared(variable);
          break;
        }
      }
  Frame outermost{&function, {}, {}, {}, {}, {}, {}, true};
  body(outermost);
  layOut(kernel);
}

/// A call: its parameters are variables of the caller's frame, at whose places the callee finds them.
void Lowering::inlineBody(const Function &function, const std::vector<u64> &results, const std::vector<u64> &arguments) {
  if (++depth > 32)
    throw SyntaxError{function.line, "calls nest too deep, or '" + function.name + "' calls itself"};
  Frame inner{&function, {}, {}, {}, {}, {}, {}, false};
  for (size_t i = 0; i < results.size(); ++i)
    inner.places[&function.results[i]] = results[i];
  for (size_t i = 0; i < arguments.size(); ++i)
    inner.places[&function.parameters[i]] = arguments[i];
  body(inner);
  --depth;
}

Builder findBuilder(std::string_view name) {
  static const std::map<std::string_view, Builder> builders = [] {
    std::map<std::string_view, Builder> ops;
    addIntegerOps(ops);
    addBitOps(ops);
    addFloatOps(ops);
    addConvertOps(ops);
    addMoveOps(ops);
    addCompareOps(ops);
    addMemoryOps(ops);
    addAtomicOps(ops);
    addControlOps(ops);
    addWarpOps(ops);
    addMatrixOps(ops);
    addCopyOps(ops);
    addBarrierOps(ops);
    addWgmmaOps(ops);
    return ops;
  }();
  const auto found = builders.find(name);
  return found == builders.end() ? nullptr : found->second;
}

namespace {
/// Gives module variables their memory and initial bytes.
void placeGlobals(Module &module, Arena &arena) {
  for (const Variable &variable : module.source.variables) {
    if (variable.space == Space::Shared)
      continue;
    const u64 address = arena.allocate(std::max<u64>(variable.size, 1));
    if (!address)
      throw Fault{outOfMemory, "no memory for '" + variable.name + "'"};
    module.globals[variable.name] = {address, variable.size};
    u8 *bytes = arena.bytesAt(address);
    memset(bytes, 0, variable.size);
    std::copy(variable.data.begin(), variable.data.end(), bytes);
    memset(arena.stateAt(address), variable.space == Space::Const ? readOnlyByte : definedByte, variable.size);
  }
  for (const Variable &variable : module.source.variables)
    for (const auto &reference : variable.references) {
      const auto found = module.globals.find(reference.name);
      if (found == module.globals.end())
        throw SyntaxError{0, "unknown symbol '" + reference.name + "' in the initialiser of '" + variable.name + "'"};
      const u64 value = found->second.first + static_cast<u64>(reference.addend);
      memcpy(arena.bytesAt(module.globals[variable.name].first) + reference.offset, &value,
             std::min<u64>(8, variable.type.bytes()));
    }
}
} // namespace

std::unique_ptr<Module> loadModule(std::string_view text, Arena &arena) {
  auto module = std::make_unique<Module>();
  module->source = parsePtx(text);
  // Variables of functions live as long as the module does.
  for (const auto &function : module->source.functions)
    for (const auto &[scope, variable] : function->variables)
      if (variable.space == Space::Global || variable.space == Space::Const)
        module->source.variables.push_back(variable);
  try {
    placeGlobals(*module, arena);
    for (const auto &function : module->source.functions) {
      if (!function->isEntry || !function->hasBody)
        continue;
      auto kernel = std::make_unique<Kernel>();
      Lowering first(*module, *kernel, 0);
      first.entry(*function);
      if (first.needsDynamicShared()) { // it follows what is static, which is known only now
        const u64 begin = roundUp(kernel->staticShared, 16);
        kernel = std::make_unique<Kernel>();
        Lowering(*module, *kernel, begin).entry(*function);
        kernel->staticShared = begin;
      }
      module->kernels.push_back(std::move(kernel));
    }
  } catch (...) {
    unloadModule(*module, arena);
    throw;
  }
  return module;
}

void unloadModule(Module &module, Arena &arena) {
  for (const auto &[name, place] : module.globals)
    arena.release(place.first);
  module.globals.clear();
}

} // namespace standin
