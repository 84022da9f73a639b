// Graphs in the interpreter, with bounds.
#ifndef LATHE_TEST_FUZZ_REFERENCE_H
#define LATHE_TEST_FUZZ_REFERENCE_H

#include "test/fuzz/Graph.h"

namespace fuzz {

struct Interpreted {
  std::vector<lathe::Tensor> values, bounds;                    // of the results, then of the variables afterwards
  std::string error;                                            // why there are none
  std::vector<std::pair<std::string, lathe::Tensor>> variables; // and their values before
};
/// The graphs of one file, under their names; dimensions have the graphs' sizes. All have an error if the file is refused.
std::vector<Interpreted> interpretGraphs(const std::vector<Graph> &graphs, const std::vector<std::string> &names,
                                         const std::string &file);

} // namespace fuzz

#endif
