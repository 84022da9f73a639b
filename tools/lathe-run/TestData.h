// ONNX's test_data_set folders: input_0.pb ..., output_0.pb ..., one tensor each.
#ifndef LATHE_TOOLS_LATHE_RUN_TESTDATA_H
#define LATHE_TOOLS_LATHE_RUN_TESTDATA_H

#include "tools/lathe-run/Runner.h"
#include <set>

/// Tensors by the names of inputs and results.
struct TestData {
  std::map<std::string, lathe::Tensor> inputs, results;
};

/// Reads a folder. A file belongs to the input or result that it names, or else to that of its number. Files of
/// `constants`, which are no longer inputs, are skipped.
Expected<TestData> readTestData(const std::string &folder, const Signature &signature, const std::set<std::string> &constants);

/// Reads only the inputs, by the names in their files. Leaves errors to readTestData.
std::map<std::string, lathe::Tensor> readTestInputs(const std::string &folder);

#endif
