// The properties of a target that kernel code depends on.
#ifndef LATHE_CODEGEN_POINTS_VECTORTARGET_H
#define LATHE_CODEGEN_POINTS_VECTORTARGET_H

#include <cstdint>
#include <string>

namespace lathe {

/// One instruction set: its names in LLVM, and the properties that schedules and code depend on.
struct VectorTarget {
  std::string triple = "x86_64-unknown-linux-gnu";
  std::string cpu = "x86-64-v3"; // target-cpu of every function
  std::string features;          // target-features, "+a,-b"
  std::string levelSuffix;       // "-vnni" and the like: what the name of a level above x86-64-v4 adds to `cpu`
  unsigned level = 3;            // x86-64 level, those above x86-64-v4 counted on; 0 elsewhere
  unsigned vectorBytes = 32;     // of one register
  unsigned vectorRegisters = 16;
  // One core, for the cost models. Where nothing is known of a model, it counts as a Zen 4, on which the models were measured,
  // with the smallest first-level cache of any CPU.
  int64_t firstCacheBytes = 32 << 10;     // of the first-level data cache
  int64_t secondCacheBytes = 1 << 20;     // of the second-level cache
  unsigned fmaPorts = 2;                  // fused multiply-adds that start in a cycle
  unsigned fmaLatency = 4;                // cycles from one that starts to its result
  unsigned loadPorts = 2;                 // vectors that are loaded from the first-level cache in a cycle
  unsigned secondCacheBytesPerCycle = 32; // from the second-level cache to the first
  bool hasFMA = true;
  bool hasF16C = true;            // conversions between f16 and f32
  bool hasBF16 = false;           // rounds f32 to bf16 and keeps denormals, unlike x86
  bool hasMaximum = false;        // has one instruction for the extreme of f32 values that keeps NaN and orders zeros
  bool hasApproximations = false; // approximates 2^x and 1 / x in f32, as GPUs do
  bool hasByteDots = false;       // has dot products of bytes into i32
  bool hasBF16Dots = false;       // has dot products of bf16 into f32, for --math=fast
  bool hasBF16Tiles = false;      // has AMX: products of tiles of bf16, for --math=fast
  bool hasStringMoves = false;    // one instruction copies long ranges, at least as fast as vectors do
  bool isFast = false;            // may use approximations for f32, within the bounds of docs/gpu.md

  /// Returns the target's name in schedules and in --explain.
  std::string name() const { return level ? cpu + levelSuffix : triple + ":" + cpu; }
  /// Returns what the description says of a core, as --explain prints it.
  std::string describe() const;
  /// Returns the bytes of a block that stays in the first-level cache while as much of other operands streams through it.
  int64_t cacheBlockBytes() const { return firstCacheBytes / 2; }
  /// Returns the bytes of a block that stays in the second-level cache in the same way.
  int64_t secondBlockBytes() const { return secondCacheBytes / 2; }
  unsigned lanes(unsigned elementBytes) const { return vectorBytes / elementBytes; }
  /// Returns the number of independent sums that keep the multiply-add units busy.
  unsigned fmaChains() const { return fmaPorts * fmaLatency; }
  /// Returns the registers for the sums of a tile whose factors are in registers too.
  unsigned sumRegisters() const { return vectorRegisters / 2; }

  /// Bytes of a cache line: those of all supported CPUs.
  static constexpr int64_t kCacheLineBytes = 64;
};

} // namespace lathe

#endif
