// ONNX's test_data_set folders: input_0.pb ..., output_0.pb ..., one tensor each.
#ifndef LATHE_TOOLS_LATHE_RUN_TESTDATA_H
#define LATHE_TOOLS_LATHE_RUN_TESTDATA_H

#include "tools/lathe-run/Runner.h"

/// Tensors by the names of inputs and results.
struct TestData {
  std::map<std::string, lathe::Tensor> inputs, results;
};

/// Files belong to the inputs and results that they name, else to those of their number.
Expected<TestData> readTestData(const std::string &folder, const Signature &signature);

#endif
