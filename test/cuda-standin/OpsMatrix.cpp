// mma.sync and the matrix moves of warps.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Access.h"
#include "Floats.h"

#include <array>

namespace standin {

namespace {
struct Shape {
  u32 m, n, k;
};

bool parseShape(std::string_view word, Shape &shape) {
  return sscanf(std::string(word).c_str(), "m%un%uk%u", &shape.m, &shape.n, &shape.k) == 3;
}

u32 bitsOf(Type type) { return type.kind == 't' ? 32 : type.bits; }

/// list: D, A, B, C; kind: m | n << 8 | k << 16; kind2: kinds and bits of the inputs, imm: kind and bits of D and C.
struct Fragments {
  Shape shape;
  char a, b, d;
  u32 inputBits, accumulatorBits, perInput, inA, inB, inC;
  bool saturates;

  explicit Fragments(const Inst &inst) {
    shape = {inst.kind & 0xff, inst.kind >> 8 & 0xff, inst.kind >> 16};
    a = static_cast<char>(inst.kind2);
    b = static_cast<char>(inst.kind2 >> 8);
    inputBits = inst.kind2 >> 16;
    d = static_cast<char>(inst.imm);
    accumulatorBits = static_cast<u32>(inst.imm >> 8 & 0xff);
    saturates = inst.imm >> 16 & 1;
    count();
  }
  Fragments(Shape shape, char a, char b, char d, u32 inputBits, u32 accumulatorBits)
      : shape(shape), a(a), b(b), d(d), inputBits(inputBits), accumulatorBits(accumulatorBits), saturates(false) {
    count();
  }
  void count() {
    perInput = inputBits == 64 ? 1 : 32 / inputBits;
    inA = shape.m * shape.k / warpSize / perInput;
    inB = shape.k * shape.n / warpSize / perInput;
    inC = shape.m * shape.n / warpSize / (accumulatorBits == 16 ? 2 : 1);
  }
};

// PTX ISA, "Matrix Fragments for mma": a lane is member `lane % 4` of group `lane / 4`. Rows of A go by group, the second of
// each pair of registers eight rows below; a group's members hold successive elements of a row, whole registers each. B is the
// same by columns.
void multiply(Warp &warp, const Inst &inst) {
  if (!gather(warp, allLanes & warp.lanes, inst))
    return;
  if (warp.mask != allLanes)
    fail(warp, firstLane(warp.mask), launchFailed, "mma needs all 32 lanes");
  const Fragments f(inst);
  const u32 inputBytes = f.inputBits == 64 ? 8 : 4, width = 4 * f.perInput;
  static thread_local std::array<double, 16 * 64> a, b;
  const Slot *d = inst.list, *slotsA = d + f.inC, *slotsB = slotsA + f.inA, *c = slotsB + f.inB;
  const u32 halves = f.shape.m / 8;
  for (u32 lane = 0; lane < warpSize; ++lane) {
    const u32 group = lane / 4, member = lane % 4;
    for (u32 r = 0; r < f.inA; ++r) {
      const u64 bits = readLane(warp, slotsA[r], inputBytes, lane);
      for (u32 i = 0; i < f.perInput; ++i)
        a[(group + 8 * (r % halves)) * f.shape.k + r / halves * width + member * f.perInput + i] =
            matrixElement(f.a, f.inputBits, bits >> (i * f.inputBits % 64));
    }
    for (u32 r = 0; r < f.inB; ++r) {
      const u64 bits = readLane(warp, slotsB[r], inputBytes, lane);
      for (u32 i = 0; i < f.perInput; ++i)
        b[(r * width + member * f.perInput + i) * f.shape.n + group] =
            matrixElement(f.b, f.inputBits, bits >> (i * f.inputBits % 64));
    }
  }
  const u32 perAccumulator = f.accumulatorBits == 16 ? 2 : 1, accumulatorBytes = f.accumulatorBits == 64 ? 8 : 4;
  for (u32 lane = 0; lane < warpSize; ++lane)
    for (u32 r = 0; r < f.inC; ++r) {
      const u64 old = readLane(warp, c[r], accumulatorBytes, lane);
      u64 made = 0;
      for (u32 i = 0; i < perAccumulator; ++i) {
        const u32 index = r * perAccumulator + i, row = lane / 4 + 8 * (index / 2), column = lane % 4 * 2 + index % 2;
        double sum = 0;
        if (f.d == 's') {
          s64 whole = static_cast<s32>(old);
          for (u32 k = 0; k < f.shape.k; ++k)
            whole += static_cast<s64>(a[row * f.shape.k + k] * b[k * f.shape.n + column]);
          made = static_cast<u32>(f.saturates ? std::min<s64>(std::max<s64>(whole, INT32_MIN), INT32_MAX) : whole);
          continue;
        }
        if (f.d == 'f' && f.accumulatorBits == 64) {
          sum = std::bit_cast<double>(old);
          for (u32 k = 0; k < f.shape.k; ++k)
            sum = std::fma(a[row * f.shape.k + k], b[k * f.shape.n + column], sum);
          made = std::bit_cast<u64>(sum);
          continue;
        }
        for (u32 k = 0; k < f.shape.k; ++k)
          sum += a[row * f.shape.k + k] * b[k * f.shape.n + column];
        if (f.accumulatorBits == 16)
          made |= static_cast<u64>(roundTo(half, sum + halfToFloat(static_cast<u16>(old >> (16 * i))))) << (16 * i);
        else
          made = floatToBits(canonical(truncated(sum + bitsToFloat(static_cast<u32>(old)))));
      }
      writeLane(warp, d[r], accumulatorBytes, lane, made);
    }
}

bool known(const Shape &shape, Type a, u32 bits) {
  const auto is = [&](u32 m, u32 n, u32 k) { return shape.m == m && shape.n == n && shape.k == k; };
  switch (a.kind) {
  case 'f':
    return bits == 64 ? is(8, 8, 4) || is(16, 8, 4) || is(16, 8, 8) || is(16, 8, 16)
                      : bits == 16 && (is(16, 8, 8) || is(16, 8, 16));
  case 'h':
    return is(16, 8, 8) || is(16, 8, 16);
  case 't':
    return is(16, 8, 4) || is(16, 8, 8);
  case 'e':
  case 'g':
    return is(16, 8, 32) || is(16, 8, 16);
  default:
    return bits == 8 && (is(8, 8, 16) || is(16, 8, 16) || is(16, 8, 32));
  }
}

void mma(Build &build) {
  if (!build.has("sync") || !build.has("aligned") || !build.has("row") || !build.has("col"))
    build.unknown();
  Shape shape{};
  for (const auto word : build.statement.words)
    if (parseShape(word, shape))
      build.has(word);
  const auto types = build.types();
  const bool saturates = build.has("satfinite");
  if (types.size() != 4 || !known(shape, types[1], bitsOf(types[1])) || bitsOf(types[1]) != bitsOf(types[2]) ||
      types[0].bits != types[3].bits)
    build.unknown();
  const Fragments f(shape, types[1].kind, types[2].kind, types[0].kind, bitsOf(types[1]), types[0].bits);
  build.expect(4, 4);
  const Type input{'b', f.inputBits == 64 ? 64u : 32u}, accumulator{'b', f.accumulatorBits == 64 ? 64u : 32u};
  std::vector<Slot> slots = build.vector(build.operand(0), accumulator, true);
  const size_t results = slots.size();
  for (size_t i = 1; i < 4; ++i) {
    const auto part = build.vector(build.operand(i), i == 3 ? accumulator : input, false);
    slots.insert(slots.end(), part.begin(), part.end());
  }
  if (results != f.inC || slots.size() != 2 * f.inC + f.inA + f.inB)
    build.fail("'" + std::string(build.statement.text) + "' has fragments of the wrong length");
  Inst &inst = build.inst;
  inst.flags |= aligned;
  inst.kind = shape.m | shape.n << 8 | shape.k << 16;
  inst.kind2 = static_cast<u32>(f.a) | static_cast<u32>(f.b) << 8 | f.inputBits << 16;
  inst.imm = f.d | static_cast<s64>(f.accumulatorBits) << 8 | static_cast<s64>(saturates) << 16;
  inst.listCount = static_cast<u16>(slots.size());
  inst.list = build.lowering.keep(std::move(slots));
  build.emit(multiply);
}

/// ldmatrix and stmatrix: lanes 8i to 8i+7 give the rows of matrix i; kind 1: transposed; kind2 1: a store.
void moveMatrix(Warp &warp, const Inst &inst) {
  if (!gather(warp, allLanes & warp.lanes, inst))
    return;
  if (warp.mask != allLanes)
    fail(warp, firstLane(warp.mask), launchFailed, "a move of matrices needs all 32 lanes");
  if (inst.kind2)
    stampWrite(warp);
  for (u32 matrix = 0; matrix < inst.listCount; ++matrix) {
    u16 values[8][8];
    if (inst.kind2)
      for (u32 lane = 0; lane < warpSize; ++lane)
        for (u32 i = 0; i < 2; ++i) {
          const u32 row = lane / 4, column = lane % 4 * 2 + i;
          (inst.kind ? values[column][row] : values[row][column]) =
              static_cast<u16>(in<u32>(warp, inst.list[matrix])[lane] >> (16 * i));
        }
    for (u32 row = 0; row < 8; ++row) {
      const u32 lane = matrix * 8 + row;
      const u64 address = laneAddress(warp, inst, inst.op[4], lane);
      if (address % 16)
        fail(warp, lane, misalignedAddress, "a matrix row at " + hex(address) + " is not aligned to 16 bytes");
      u8 *bytes = accessMemory(warp, lane, inst.space, address, 16, inst.kind2 ? Access::Write : Access::Read, 0,
                               inst.kind2 ? values[row] : nullptr);
      if (inst.kind2)
        memcpy(bytes, values[row], 16);
      else
        memcpy(values[row], bytes, 16);
    }
    if (!inst.kind2)
      for (u32 lane = 0; lane < warpSize; ++lane) {
        const u32 row = lane / 4, column = lane % 4 * 2;
        const u32 low = inst.kind ? values[column][row] : values[row][column],
                  high = inst.kind ? values[column + 1][row] : values[row][column + 1];
        out<u32>(warp, inst.list[matrix])[lane] = low | high << 16;
      }
  }
}

void buildMove(Build &build) {
  Inst &inst = build.inst;
  const bool stores = build.statement.words[0] == "stmatrix";
  if (!build.has("sync") || !build.has("aligned") || !build.has("m8n8") || build.type().bits != 16)
    build.unknown();
  const int count = build.pick({"x1", "x2", "x4"}, -1);
  if (count < 0)
    build.unknown();
  inst.kind = build.has("trans");
  inst.kind2 = stores;
  inst.flags |= aligned;
  inst.space = build.has("shared") || build.has("shared::cta") ? Space::Shared : Space::Generic;
  build.expect(2, 2);
  auto slots = build.vector(build.operand(stores ? 1 : 0), {'b', 32}, !stores);
  if (slots.size() != 1u << count)
    build.fail("a vector of the wrong length");
  inst.listCount = static_cast<u16>(slots.size());
  inst.list = build.lowering.keep(std::move(slots));
  build.address(build.operand(stores ? 0 : 1), 4);
  build.emit(moveMatrix);
}

void transpose(Warp &warp, const Inst &inst) {
  if (!gather(warp, allLanes & warp.lanes, inst))
    return;
  u16 values[8][8];
  for (u32 lane = 0; lane < warpSize; ++lane)
    for (u32 i = 0; i < 2; ++i)
      values[lane / 4][lane % 4 * 2 + i] = static_cast<u16>(in<u32>(warp, inst.op[1])[lane] >> (16 * i));
  eachLane<u32>(warp, inst.op[0], [&](u32 lane) {
    return values[lane % 4 * 2][lane / 4] | static_cast<u32>(values[lane % 4 * 2 + 1][lane / 4]) << 16;
  });
}

void movmatrix(Build &build) {
  if (!build.has("sync") || !build.has("aligned") || !build.has("m8n8") || !build.has("trans") || build.type().bits != 16)
    build.unknown();
  build.expect(2, 2);
  build.inst.flags |= aligned;
  build.inst.op[0] = build.result(0, {'b', 32});
  build.inst.op[1] = build.source(1, {'b', 32});
  build.emit(transpose);
}
} // namespace

void addMatrixOps(std::map<std::string_view, Builder> &ops) {
  ops["mma"] = mma;
  ops["ldmatrix"] = ops["stmatrix"] = buildMove;
  ops["movmatrix"] = movmatrix;
}

} // namespace standin
