// Graphs in the interpreter, with bounds.
#ifndef LATHE_TEST_FUZZ_REFERENCE_H
#define LATHE_TEST_FUZZ_REFERENCE_H

#include "test/fuzz/Graph.h"
#include <set>

namespace fuzz {

struct Interpreted {
  std::vector<lathe::Tensor> values, bounds;                    // of the results, then of the variables afterwards
  std::string error;                                            // why there are none
  std::set<unsigned> errorLines;                                // of the graph's text, of its errors; from 0 on
  std::vector<std::pair<std::string, lathe::Tensor>> variables; // and their values before
};
/// How dimensions get their sizes: numbers from the start, or with the arguments as in compiled code. A graph with names is
/// simplified, so that it needs no size for the sake of an op whose result is not used.
enum class SizesAre { Numbers, Names };

/// Runs the graphs, written to `file` as one module under their names. A graph that is refused has an error and no values.
std::vector<Interpreted> interpretGraphs(const std::vector<Graph> &graphs, const std::vector<std::string> &names,
                                         const std::string &file, SizesAre sizes = SizesAre::Numbers);

} // namespace fuzz

#endif
