// What a target means to the code of points.
#ifndef LATHE_CODEGEN_POINTS_VECTORTARGET_H
#define LATHE_CODEGEN_POINTS_VECTORTARGET_H

#include <string>

namespace lathe {

/// One instruction set: LLVM's names for it, and what kernels are shaped by.
struct VectorTarget {
  std::string triple = "x86_64-unknown-linux-gnu";
  std::string cpu = "x86-64-v3"; // target-cpu of every function
  std::string features;          // target-features, "+a,-b"
  unsigned level = 3;            // x86-64 level; 0 elsewhere
  unsigned vectorBytes = 32;     // of one register
  unsigned vectorRegisters = 16;
  bool hasFMA = true;
  bool hasF16C = true;            // conversions between f16 and f32
  bool hasBF16 = false;           // rounding of f32 to bf16 that keeps denormals, as x86's does not
  bool hasMaximum = false;        // one instruction for an extreme of f32 that keeps NaN and orders zeros
  bool hasApproximations = false; // of 2^x and 1 / x in f32, as GPUs have
  bool isFast = false;            // and f32 may be computed with them, within what docs/gpu.md says

  /// The name that schedules and --explain call it by.
  std::string name() const { return level ? cpu : triple + ":" + cpu; }
  unsigned lanes(unsigned elementBytes) const { return vectorBytes / elementBytes; }
};

} // namespace lathe

#endif
