#include "tools/lathe-run/TestData.h"
#include "lib/Import/ONNX/ImportOnnx.h"
#include "lib/Support/Text.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"

using namespace lathe;

/// The file's tensor under the name of a parameter.
static std::optional<Failure> readOne(const std::string &path, const std::vector<Parameter> &parameters, size_t index,
                                      mlir::MLIRContext &context, std::map<std::string, Tensor> &tensors) {
  OnnxTensor read;
  if (std::string reason = readOnnxTensor(path, context, read); !reason.empty())
    return Failure{kWrongUsage, reason};
  std::string spelled = toCIdentifier(read.name);
  auto named = llvm::find_if(parameters, [&](const Parameter &parameter) { return parameter.name == spelled; });
  if (named == parameters.end() && index >= parameters.size())
    return Failure{kWrongUsage, "'" + path + "': the graph has " + std::to_string(parameters.size()) +
                                    " of these, none named '" + read.name + "'"};
  std::string name = named == parameters.end() ? parameters[index].name : named->name;
  Tensor tensor(*elementOf(read.type.getElementType()), read.type.getShape());
  tensor.getBytes().assign(read.bytes.begin(), read.bytes.end());
  if (!tensors.emplace(name, std::move(tensor)).second)
    return Failure{kWrongUsage, "'" + path + "': there is another file for '" + name + "'"};
  return std::nullopt;
}

Expected<TestData> readTestData(const std::string &folder, const Signature &signature) {
  if (!llvm::sys::fs::is_directory(folder))
    return Failure{kWrongUsage, "--test-data: there is no folder '" + folder + "'"};
  TestData data;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (bool isInput : {true, false})
    for (size_t i = 0;; ++i) {
      std::string path = folder + (isInput ? "/input_" : "/output_") + std::to_string(i) + ".pb";
      if (!llvm::sys::fs::exists(path))
        break;
      if (std::optional<Failure> failure =
              readOne(path, isInput ? signature.inputs : signature.results, i, context, isInput ? data.inputs : data.results))
        return *failure;
    }
  if (data.results.empty())
    return Failure{kWrongUsage, "--test-data: there is no output_0.pb in '" + folder + "'"};
  return data;
}
