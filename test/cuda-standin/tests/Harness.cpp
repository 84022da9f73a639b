// Code that the tests share: see Harness.h.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Harness.h"

#include <unistd.h>

namespace test {
int report() {
  printf("%d checks, %d failures\n", checks, failures);
  return failures != 0;
}

Captured::Captured() : saved(dup(2)), file(tmpfile()) {
  fflush(stderr);
  dup2(fileno(file), 2);
}
Captured::~Captured() {
  fflush(stderr);
  dup2(saved, 2);
  close(saved);
  fclose(file);
}
std::string Captured::text() {
  fflush(stderr);
  std::string made;
  char buffer[1024];
  rewind(file);
  while (const size_t count = fread(buffer, 1, sizeof buffer, file))
    made.append(buffer, count);
  return made;
}

Scope::Scope() {
  CHECK_OK(cuInit(0));
  CHECK_OK(cuCtxCreate_v2(&context, 0, 0));
}
Scope::~Scope() { cuCtxDestroy_v2(context); }

std::string kernelText(const std::string &parameters, const std::string &body, const char *target, const char *before) {
  return std::string(".version 8.4\n.target ") + target + "\n.address_size 64\n" + before + ".visible .entry k(" + parameters +
         ")\n{\n" +
         ".reg .pred %p<8>;\n.reg .b16 %h<16>;\n.reg .b32 %r<64>;\n.reg .f32 %f<64>;\n.reg .b64 %d<32>;\n.reg .f64 %g<16>;\n" +
         body + "\nret;\n}\n";
}

Kernel::Kernel(const std::string &ptx, const char *name) {
  if (const char *folder = getenv("LATHE_STANDIN_TEST_DUMP")) { // for ptxas, which says whether the text is valid
    static int number;
    char path[512];
    snprintf(path, sizeof path, "%s/%03d.ptx", folder, number++);
    if (FILE *file = fopen(path, "w")) {
      fwrite(ptx.data(), 1, ptx.size(), file);
      fclose(file);
    }
  }
  code = cuModuleLoadData(&module, ptx.c_str());
  if (!code)
    code = cuModuleGetFunction(&function, module, name);
}
Kernel::~Kernel() { cuModuleUnload(module); }

int Kernel::run(const Shape &shape, std::vector<void *> arguments) {
  if (code)
    return code;
  CudaLaunchAttribute cluster{4, {}, {shape.cluster, 1, 1}};
  const CudaLaunchConfig config{shape.grid[0],  shape.grid[1], shape.grid[2], shape.block[0], shape.block[1],
                                shape.block[2], shape.shared,  nullptr,       &cluster,       shape.cluster > 1};
  if (shape.shared > 48 * 1024)
    cuFuncSetAttribute(function, 8, static_cast<int>(shape.shared));
  if (const int launched = cuLaunchKernelEx(&config, function, arguments.data(), nullptr))
    return launched;
  return cuCtxSynchronize();
}

void expectFault(const char *where, const std::string &ptx, const Shape &shape, std::vector<void *> arguments, int code,
                 const char *words) {
  int found;
  std::string text;
  {
    Captured captured;
    found = Kernel(ptx).run(shape, std::move(arguments));
    text = captured.text();
  }
  ++checks;
  const bool once = text.rfind("standin: ", 0) == 0 && text.find("standin: ", 1) == text.npos;
  if (found == code && once && text.find(words) != text.npos)
    return;
  ++failures;
  printf("%s: expected %d with '%s', found %d with '%s'\n", where, code, words, found, text.c_str());
}

void expectSilence(const char *where, const std::string &ptx, const Shape &shape, std::vector<void *> arguments) {
  int found;
  std::string text;
  {
    Captured captured;
    found = Kernel(ptx).run(shape, std::move(arguments));
    text = captured.text();
  }
  ++checks;
  if (!found && text.empty())
    return;
  ++failures;
  printf("%s: expected silence, found %d with '%s'\n", where, found, text.c_str());
}

uint32_t random32() {
  static uint64_t state = 0x853c49e6748fea9bull;
  state = state * 6364136223846793005ull + 1442695040888963407ull;
  return static_cast<uint32_t>(state >> 33) ^ static_cast<uint32_t>(state >> 11);
}
float randomFloat() { return static_cast<float>(static_cast<int32_t>(random32())) / 2147483648.0f; }

} // namespace test
