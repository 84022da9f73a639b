// One elementary function as machine code: what a kernel of the compiler would contain, with a loop over arrays around.
#ifndef LATHE_TEST_UNIT_MATH_COMPILED_H
#define LATHE_TEST_UNIT_MATH_COMPILED_H

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include <cstdint>
#include <memory>
#include <string>

/// How a function is compiled.
struct Variant {
  const char *name;
  const char *cpu;
  bool hasFMA;
  /// Lanes of f32; half as many of f64. 1: scalars.
  unsigned lanes;
  /// The functions of --math=fast.
  bool isFast = false;
};

class Compiled {
public:
  /// Ends the program with a message if compilation fails. `arity` is 1, 2 or 3.
  Compiled(const std::string &function, unsigned arity, bool isDouble, const Variant &variant);

  /// External symbols the object file needs; the functions must do without any.
  const std::string &undefinedSymbols() const { return missing; }
  /// True if this machine can run the variant and nothing is missing.
  bool runs() const { return entry != nullptr; }
  /// out[i] = function(a[i], b[i], c[i]); `count` is a multiple of the lanes. Operands beyond the arity are ignored.
  void operator()(const void *a, const void *b, const void *c, void *out, int64_t count) const { entry(a, b, c, out, count); }

private:
  using Entry = void (*)(const void *, const void *, const void *, void *, int64_t);
  std::unique_ptr<llvm::orc::LLJIT> jit;
  std::string missing;
  Entry entry = nullptr;
};

#endif // LATHE_TEST_UNIT_MATH_COMPILED_H
