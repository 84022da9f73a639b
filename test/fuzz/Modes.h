// The ways to compile and run a graph, and which of them a module goes through.
#ifndef LATHE_TEST_FUZZ_MODES_H
#define LATHE_TEST_FUZZ_MODES_H

#include "lathe/CompileOptions.h"
#include <string>
#include <vector>

namespace fuzz {

struct Mode {
  std::string name;
  lathe::CompileOptions options;
  int threads = 1;
  bool specialized = false; // for the sizes that the graphs have
  bool sameObject = false;  // runs what the mode before has made
  double roundings = 1;     // how many of f32's one of a product counts for
  bool sameBits = false;    // as the last mode that is not one of these
  bool hasBudget = false;   // of memory, which is raised to the least that the compiler names
};

/// Each mode once, -O2 first.
const std::vector<Mode> &allModes();

/// On a GPU, or the stand-in for one: not among the others, for there may be none.
Mode gpuMode();

/// The modes of one module. Compiling is what costs time, most of all LLVM's choice of instructions at -O2, so each module goes
/// through one or two modes, in a cycle of 16 modules; one cycle in four ends with a module that goes through all.
std::vector<Mode> modesOf(uint64_t module);

/// Without and with a budget of memory of 64 to 8191 bytes that the seed chooses, for every second seed with `--offload`.
std::vector<Mode> budgetModes(uint64_t seed);

/// The one of this name, after the one that it is compared with where it is compared with one.
std::vector<Mode> modesFor(const std::string &name);

} // namespace fuzz

#endif
