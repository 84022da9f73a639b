#ifndef LATHE_TEST_OPSET_INTEGERS_H
#define LATHE_TEST_OPSET_INTEGERS_H

#include "test/unit/Autodiff/Graphs.h"

std::vector<Graph> integerGraphs();

/// Returns graphs with every op.
inline std::vector<Graph> allGraphs() {
  std::vector<Graph> all = differentiableGraphs(), integers = integerGraphs();
  all.insert(all.end(), integers.begin(), integers.end());
  return all;
}

#endif
