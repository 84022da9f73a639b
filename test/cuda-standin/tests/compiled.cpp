// Kernels of clang compared with the same computed here: compiled-test KERNELS.ptx.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <chrono>
#include <fstream>
#include <sstream>

using namespace test;

namespace {
std::string ptx;

std::vector<float> randomFloats(size_t count) {
  std::vector<float> made(count);
  for (float &value : made)
    value = randomFloat();
  return made;
}

void saxpy() {
  const Scope scope;
  int n = 1000;
  float a = 2.5f;
  const auto x = randomFloats(1000), y = randomFloats(1000);
  Buffer<float> dx(x), dy(y);
  Kernel kernel(ptx, "saxpy");
  CHECK_OK(kernel.run({{8, 1, 1}, {128, 1, 1}}, {dy, dx, &a, &n}));
  const auto result = dy.read();
  for (size_t i = 0; i < 1000; ++i)
    CHECK(result[i] == std::fma(a, x[i], y[i]));
}

void blockSum() {
  const Scope scope;
  int n = 10000;
  const auto in = randomFloats(10000);
  Buffer<float> din(in), out(10);
  Kernel kernel(ptx, "blockSum");
  CHECK_OK(kernel.run({{10, 1, 1}, {256, 1, 1}}, {out, din, &n}));
  double sum = 0, expected = 0;
  for (const float value : out.read())
    sum += value;
  for (const float value : in)
    expected += value;
  CHECK(std::fabs(sum - expected) < 1e-3);
}

void transpose() {
  const Scope scope;
  struct {
    int rows;
    long columns;
  } shape{48, 64};
  const auto in = randomFloats(48 * 64);
  Buffer<float> din(in), out(48 * 64);
  Kernel kernel(ptx, "transpose");
  CHECK_OK(kernel.run({{12, 1, 1}, {256, 1, 1}}, {out, din, &shape}));
  const auto result = out.read();
  for (size_t i = 0; i < 48; ++i)
    for (size_t j = 0; j < 64; ++j)
      CHECK(result[j * 48 + i] == in[i * 64 + j]);
}

void calls() {
  const Scope scope;
  const auto in = randomFloats(64);
  std::vector<int> degrees(64);
  for (size_t i = 0; i < 64; ++i)
    degrees[i] = static_cast<int>(i * 7 % 13);
  Buffer<float> din(in), out(64);
  Buffer<int> dd(degrees);
  Kernel kernel(ptx, "calls");
  CHECK_OK(kernel.run({{2, 1, 1}, {32, 1, 1}}, {out, din, dd}));
  const auto result = out.read();
  for (size_t i = 0; i < 64; ++i) {
    const float x = in[i] + static_cast<float>(degrees[i] & 7);
    float sum = 1;
    for (int j = 0; j < degrees[i]; ++j)
      sum = std::fma(sum, x, static_cast<float>(j));
    CHECK(result[i] == sum);
  }
}

void choose() {
  const Scope scope;
  std::vector<int> in(32);
  for (size_t i = 0; i < 32; ++i)
    in[i] = static_cast<int>(i % 9);
  Buffer<int> din(in), out(32);
  Kernel kernel(ptx, "choose");
  CHECK_OK(kernel.run({}, {out, din}));
  const auto result = out.read();
  for (int i = 0; i < 32; ++i) {
    const int v = in[static_cast<size_t>(i)];
    const int expected[] = {v * 7, v - 100, i, i * i, ~i, 1 << i % 31, i / 3};
    CHECK(result[static_cast<size_t>(i)] == (v < 7 ? expected[v] : -1));
  }
}

void speed() {
  const Scope scope;
  int n = 2000, large = 1 << 20;
  Buffer<float> out(16 * 256);
  Kernel kernel(ptx, "spin"), copy(ptx, "copyLarge");
  auto start = std::chrono::steady_clock::now();
  CHECK_OK(kernel.run({{16, 1, 1}, {256, 1, 1}}, {out, &n}));
  double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  printf("arithmetic: %.0f million lane operations a second\n", 16 * 256 * 2000 * 8.0 / seconds / 1e6);
  Buffer<float> from(randomFloats(1 << 20)), to(1 << 20);
  start = std::chrono::steady_clock::now();
  CHECK_OK(copy.run({{16, 1, 1}, {256, 1, 1}}, {to, from, &large}));
  seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  printf("copy: %.0f million elements a second\n", large / seconds / 1e6);
}
} // namespace

int main(int count, char **arguments) {
  if (count < 2)
    return 2;
  std::stringstream text;
  text << std::ifstream(arguments[1]).rdbuf();
  ptx = text.str();
  saxpy();
  blockSum();
  transpose();
  calls();
  choose();
  speed();
  return report();
}
