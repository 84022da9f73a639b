// Kernels in the form that is executed.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Source.h"

#include <deque>

namespace standin {

struct Warp;
struct Inst;
using Exec = void (*)(Warp &, const Inst &);

/// The byte offset of a register's 32 lanes in the warp's registers or, with the top bit, in the kernel's constants.
/// A predicate is one word with a bit for each lane.
using Slot = u32;
constexpr Slot constantBit = 1u << 31, noSlot = ~0u;

enum Flag : u16 {
  strongAccess = 1, // relaxed, acquire, release, volatile, atomic: ordered with its like
  acquires = 2,
  releases = 4,
  readOnlyAccess = 8, // ld.global.nc
  signedAccess = 16,
  aligned = 32, // .aligned: the warp must be whole
  floatAccess = 64,
};

struct Inst {
  Exec run = nullptr;
  Slot op[5] = {noSlot, noSlot, noSlot, noSlot, noSlot}; // results first
  Slot guard = noSlot;
  u32 guardFlip = 0; // all ones for @!p
  s64 imm = 0;
  const Slot *list = nullptr; // vectors, fragments, coordinates
  u16 listCount = 0, flags = 0;
  // For a memory access: an element's bytes, its register's bytes, elements; bytes of the address' register.
  u8 size = 0, regSize = 0, count = 1, addressSize = 8;
  Space space = Space::Generic;
  u32 kind = 0, kind2 = 0; // what else an operation must know
  u32 target = 0;
  u32 line = 0, loc = 0;
  const Statement *statement = nullptr;
};

struct Kernel {
  std::string name;
  std::vector<Inst> code;
  std::vector<u8> constants;
  u32 registerBytes = 0;
  u64 localBytes = 0, staticShared = 0, paramBytes = 0;
  std::vector<Variable> parameters;
  u32 requiredThreads[3] = {}, maxThreads[3] = {}, cluster[3] = {};
  std::deque<std::vector<Slot>> lists;
  std::deque<std::vector<u32>> tables; // brx.idx
  const Source *source = nullptr;
  bool usesWgmma = false;
  s64 maxDynamicShared = 0; // what cuFuncSetAttribute asked for
};

class Arena;

struct Module {
  Source source;
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::map<std::string, std::pair<u64, u64>> globals; // address, size
};

/// Lowers all entries for a device; throws SyntaxError. Variables of .global and .const are allocated in `arena`.
std::unique_ptr<Module> loadModule(std::string_view text, Arena &arena);
void unloadModule(Module &module, Arena &arena);

} // namespace standin
