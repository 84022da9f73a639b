#include "tools/lathe-run/TestData.h"
#include "lib/Import/ONNX/ImportOnnx.h"
#include "lib/Support/Text.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/FileSystem.h"

using namespace lathe;

/// A file's tensor, and its name as a C identifier.
using Named = std::pair<std::string, Tensor>;

static Expected<Named> readOne(const std::string &path, mlir::MLIRContext &context) {
  OnnxTensor read;
  if (std::string reason = readOnnxTensor(path, context, read); !reason.empty())
    return Failure{kWrongUsage, reason};
  Tensor tensor(*elementOf(read.type.getElementType()), read.type.getShape());
  tensor.getBytes().assign(read.bytes.begin(), read.bytes.end());
  return Named(toCIdentifier(read.name), std::move(tensor));
}

/// Returns the tensor with the parameter's element type. Older files store bf16 as unsigned integers with its bits.
static Tensor asDeclared(Tensor read, const Parameter &parameter) {
  if (read.getElement() != Element::U16 || parameter.element != Element::BF16)
    return read;
  Tensor halves(Element::BF16, read.getShape());
  halves.getBytes() = read.getBytes();
  return halves;
}

/// Stores the tensor under the name of its parameter.
static std::optional<Failure> place(const std::string &path, Named read, const std::vector<Parameter> &parameters, size_t index,
                                    std::map<std::string, Tensor> &tensors) {
  auto named = llvm::find_if(parameters, [&](const Parameter &parameter) { return parameter.name == read.first; });
  if (named == parameters.end() && index >= parameters.size())
    return Failure{kWrongUsage, "'" + path + "': the graph has " + std::to_string(parameters.size()) +
                                    " values of this kind, but none named '" + read.first + "'"};
  const Parameter &parameter = named == parameters.end() ? parameters[index] : *named;
  if (!tensors.emplace(parameter.name, asDeclared(std::move(read.second), parameter)).second)
    return Failure{kWrongUsage, "'" + path + "': there is another file for '" + parameter.name + "'"};
  return std::nullopt;
}

/// Returns the files of a kind, "input" or "output", in numeric order.
static std::vector<std::string> filesOf(const std::string &folder, const std::string &kind) {
  std::vector<std::string> files;
  while (true) {
    std::string path = folder + "/" + kind + "_" + std::to_string(files.size()) + ".pb";
    if (!llvm::sys::fs::exists(path))
      return files;
    files.push_back(path);
  }
}

std::map<std::string, Tensor> readTestInputs(const std::string &folder) {
  std::map<std::string, Tensor> tensors;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (const std::string &path : filesOf(folder, "input")) {
    Expected<Named> read = readOne(path, context);
    if (auto *named = std::get_if<Named>(&read))
      tensors.insert(std::move(*named));
  }
  return tensors;
}

Expected<TestData> readTestData(const std::string &folder, const Signature &signature, const std::set<std::string> &constants) {
  if (!llvm::sys::fs::is_directory(folder))
    return Failure{kWrongUsage, "--test-data: there is no folder '" + folder + "'"};
  TestData data;
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  for (bool isInput : {true, false}) {
    size_t index = 0; // among those that are not constants
    for (const std::string &path : filesOf(folder, isInput ? "input" : "output")) {
      Expected<Named> read = readOne(path, context);
      if (auto *failure = std::get_if<Failure>(&read))
        return *failure;
      Named &named = std::get<Named>(read);
      if (isInput && constants.count(named.first))
        continue;
      if (std::optional<Failure> failure = place(path, std::move(named), isInput ? signature.inputs : signature.results,
                                                 index++, isInput ? data.inputs : data.results))
        return *failure;
    }
  }
  if (data.results.empty())
    return Failure{kWrongUsage, "--test-data: there is no output_0.pb in '" + folder + "'"};
  return data;
}
