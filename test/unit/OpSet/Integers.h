#ifndef LATHE_TEST_OPSET_INTEGERS_H
#define LATHE_TEST_OPSET_INTEGERS_H

#include "test/unit/Autodiff/Graphs.h"

std::vector<Graph> integerGraphs();

#endif
