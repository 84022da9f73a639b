// A graph in the interpreter, with bounds.
#ifndef LATHE_TEST_FUZZ_REFERENCE_H
#define LATHE_TEST_FUZZ_REFERENCE_H

#include "test/fuzz/Graph.h"

namespace fuzz {

struct Interpreted {
  std::vector<lathe::Tensor> values, bounds; // of the results
  std::string error;                         // why there are none
};
/// The graph of that name in the file, its dimensions of the graph's sizes.
Interpreted interpretGraph(const Graph &graph, const std::string &file, const std::string &name);

} // namespace fuzz

#endif
