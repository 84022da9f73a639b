// Code that the tests share: kernels from text, memory, and faults that must be noticed.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "Cuda.h"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace test {

inline int failures = 0, checks = 0;

/// Says how many checks there were and how many failed: the exit code of a test.
int report();

#define CHECK(condition)                                                                                                       \
  do {                                                                                                                         \
    ++test::checks;                                                                                                            \
    if (!(condition)) {                                                                                                        \
      ++test::failures;                                                                                                        \
      printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                                         \
    }                                                                                                                          \
  } while (0)

#define CHECK_OK(call)                                                                                                         \
  do {                                                                                                                         \
    ++test::checks;                                                                                                            \
    if (const int code_ = (call)) {                                                                                            \
      ++test::failures;                                                                                                        \
      printf("%s:%d: %s gives %d\n", __FILE__, __LINE__, #call, code_);                                                        \
    }                                                                                                                          \
  } while (0)

/// Collects what is written to stderr during its lifetime.
class Captured {
public:
  Captured();
  ~Captured();
  std::string text();

private:
  int saved;
  FILE *file;
};

/// A context of its own, so that a test's fault does not become the next one's.
struct Scope {
  Scope();
  ~Scope();
  void *context = nullptr;
};

struct Shape {
  unsigned grid[3] = {1, 1, 1}, block[3] = {32, 1, 1}, shared = 0;
  unsigned cluster = 1;
};

/// A kernel's text after `.entry name(parameters)`, between the braces, for sm_`arch`.
std::string kernelText(const std::string &parameters, const std::string &body, const char *target = "sm_90a",
                       const char *before = "");

class Kernel {
public:
  explicit Kernel(const std::string &ptx, const char *name = "k");
  ~Kernel();
  /// Launches and waits; returns the code of whichever fails.
  int run(const Shape &shape, std::vector<void *> arguments);
  void *function = nullptr, *module = nullptr;
  int code = 0;
};

template <class T>
class Buffer {
public:
  explicit Buffer(size_t count) : count(count) { CHECK_OK(cuMemAlloc_v2(&address, count * sizeof(T))); }
  explicit Buffer(const std::vector<T> &values) : Buffer(values.size()) {
    CHECK_OK(cuMemcpyHtoD_v2(address, values.data(), count * sizeof(T)));
  }
  ~Buffer() { cuMemFree_v2(address); }
  std::vector<T> read() {
    std::vector<T> values(count);
    CHECK_OK(cuMemcpyDtoH_v2(values.data(), address, count * sizeof(T)));
    return values;
  }
  operator void *() { return &address; }
  uint64_t address = 0;
  size_t count;
};

/// Launches a kernel that must fail with `code` and say `words`.
void expectFault(const char *where, const std::string &ptx, const Shape &shape, std::vector<void *> arguments, int code,
                 const char *words);
/// Its right twin.
void expectSilence(const char *where, const std::string &ptx, const Shape &shape, std::vector<void *> arguments);

uint32_t random32();
float randomFloat(); // in [-1, 1)

/// The driver's codes for faults.
constexpr int illegalAddress = 700, misaligned = 716, failed = 719;

} // namespace test

#define STRINGIFY(x) #x
#define LINE(x) STRINGIFY(x)
/// test::expectFault and test::expectSilence, told by the line where they stand.
#define FAULT(...) test::expectFault("line " LINE(__LINE__), __VA_ARGS__)
#define SILENT(...) test::expectSilence("line " LINE(__LINE__), __VA_ARGS__)
