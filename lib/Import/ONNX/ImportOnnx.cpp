#include "lib/Import/ONNX/ImportOnnx.h"
#include "dialects/Lathe/IR/SubstituteDims.h"
#include "lib/Import/Constants/ConstInputs.h"
#include "lib/Import/ONNX/CountParts.h"
#include "lib/Import/ONNX/Graph.h"
#include "lib/Import/ONNX/Model.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/stubs/logging.h>
#include <optional>

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

/// Limits of protobuf.
static constexpr uint64_t kMostBytes = INT32_MAX;
static constexpr int kMostNesting = 100;
/// Limit on messages and strings of a model: some hundred bytes of memory each, and some ten for each node.
static constexpr int64_t kMostParts = int64_t(1) << 22;
/// Longer lines of the listing are cut; people read them.
static constexpr size_t kLongestLine = 300;

namespace {
/// A file as protobuf reads it. It is mapped, so that each tensor is copied once, and what protobuf skips is not read.
class FileStream {
public:
  explicit FileStream(const std::string &path) {
    auto opened = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!opened)
      return;
    file = std::move(*opened);
    stream.emplace(file->getBufferStart(), int(std::min<uint64_t>(file->getBufferSize(), kMostBytes)));
  }
  bool isOpen() const { return stream.has_value(); }
  google::protobuf::io::ZeroCopyInputStream *get() { return &*stream; }

private:
  std::unique_ptr<llvm::MemoryBuffer> file;
  std::optional<google::protobuf::io::ArrayInputStream> stream;
};
} // namespace

/// True if the messages in a file fit into reasonable memory, or it cannot be read.
static bool hasFewParts(const std::string &path) {
  FileStream file(path);
  if (!file.isOpen())
    return true;
  google::protobuf::io::CodedInputStream coded(file.get());
  return countParts(coded, kMostParts) <= kMostParts;
}

/// Returns why a file is not such a message, or an empty string.
static std::string parse(const std::string &path, google::protobuf::MessageLite &message) {
  uint64_t size = 0;
  if (std::error_code error = llvm::sys::fs::file_size(path, size))
    return "cannot be read: " + error.message();
  if (size > kMostBytes)
    return "has " + std::to_string(size) + " bytes, protobuf reads up to 2^31 - 1; store its weights as external data";
  FileStream file(path);
  if (!file.isOpen())
    return "cannot be read";
  google::protobuf::LogSilencer silencer; // our diagnostic is the only one
  google::protobuf::io::CodedInputStream coded(file.get());
  coded.SetRecursionLimit(kMostNesting);
  if (!message.ParsePartialFromCodedStream(&coded) || !coded.ConsumedEntireMessage())
    return "is not an ONNX file: it is truncated or damaged at byte " + std::to_string(coded.CurrentPosition()) + " of " +
           std::to_string(size) + ", or nests deeper than " + std::to_string(kMostNesting) + " levels";
  return "";
}

/// Returns a line for each node, with its name at the end. Diagnostics show these lines.
static std::string listing(const onnx::GraphProto &graph) {
  std::string text;
  for (const onnx::NodeProto &node : graph.node()) {
    std::string line = llvm::join(node.output(), ", ") + " = " + node.op_type() + "(" + llvm::join(node.input(), ", ") + ")";
    for (const onnx::AttributeProto &attribute : node.attribute())
      line += " " + attribute.name();
    if (!node.name().empty())
      line += "  # " + node.name();
    if (line.size() > kLongestLine)
      line = line.substr(0, kLongestLine) + "...";
    for (char &letter : line)
      letter = llvm::isPrint(letter) ? letter : '?';
    text += line + "\n";
  }
  return text;
}

/// Reads the model into `model`.
static LogicalResult readModel(const std::string &path, MLIRContext &context, onnx::ModelProto &model) {
  Location start = FileLineColLoc::get(&context, path, 0, 0);
  if (!hasFewParts(path))
    return emitError(start) << "'" << path << "' has more than " << kMostParts
                            << " nodes, attributes, names and other parts, the limit that protects memory";
  if (std::string reason = parse(path, model); !reason.empty())
    return emitError(start) << "'" << path << "' " << reason;
  if (!model.has_graph() || (model.graph().node_size() == 0 && model.graph().output_size() == 0))
    return emitError(start) << "'" << path << "' is not an ONNX model: it contains no graph";
  return success();
}

/// Marks inputs with a value as constants if the import needs their values, and initializers that would be variables as fixed.
/// Returns true if it marked any.
static bool takeWanted(const Model &import, ConstInputs *constants, std::set<std::string> &fixed) {
  bool isMore = false;
  for (const std::string &name : import.wanted)
    if (constants && constants->isGiven && constants->isGiven(name))
      isMore |= constants->names.insert(name).second;
  for (const std::string &name : import.wantedStates)
    isMore |= fixed.insert(name).second;
  return isMore;
}

/// True if the import must be repeated with sizes joined that must be equal.
static bool joinNames(const Model &import, ModuleOp module, SharedNames &shared, const OnnxOptions &options) {
  if (!shared.hasApart() || import.hasJoined)
    return import.hasJoined;
  bool isMore = false;
  for (const auto &[a, b] : import.wideSizes.equalNames())
    isMore |= shared.joinSizes(a, b);
  if (isMore)
    return true;
  OwningOpRef<ModuleOp> inferred = module ? module.clone() : OwningOpRef<ModuleOp>();
  if (inferred && options.inferAnyEqual && succeeded(options.inferAnyEqual(*inferred)))
    return shared.joinEqual(*inferred);
  shared.joinAll(); // errors are then reported with the model's own sizes
  return true;
}

OwningOpRef<ModuleOp> lathe::importOnnx(const std::string &path, MLIRContext &context, llvm::SourceMgr &sources,
                                        const OnnxOptions &options) {
  std::set<std::string> fixed; // initializers that stay constants
  SharedNames shared;
  options.noteRead(path);
  for (bool isFirst = true;; isFirst = false) {
    onnx::ModelProto model; // import consumes its weights
    if (failed(readModel(path, context, model)))
      return nullptr;
    if (isFirst)
      sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(listing(model.graph()), path), llvm::SMLoc());
    Model import(model, llvm::sys::path::parent_path(path).str(), path, &context, options, fixed, shared);
    std::vector<Diagnostic> told; // of the last attempt only
    OwningOpRef<ModuleOp> module;
    bool isAgain;
    shared.beginImport();
    {
      ScopedDiagnosticHandler hold(&context, [&](Diagnostic &diagnostic) { told.push_back(std::move(diagnostic)); });
      module = import.import();
      isAgain = joinNames(import, module ? *module : ModuleOp(), shared, options);
    }
    if (isAgain)
      continue;
    if (!module && import.wideSizes.hasJoined()) { // some operators take their sizes only if they are equal
      shared = SharedNames();
      shared.broadcasts = false;
      continue;
    }
    if (!module && takeWanted(import, options.constants, fixed)) {
      shared = SharedNames();
      continue;
    }
    for (auto [i, name] : llvm::enumerate(import.inputNames))
      if (!module && options.wanted && import.wanted.count(name))
        options.wanted->insert(i);
    for (Diagnostic &diagnostic : told)
      context.getDiagEngine().emit(std::move(diagnostic));
    if (module && import.wideSizes.hasJoined())
      import.function->setAttr(kBroadcastDimsAttr, import.wideSizes.groups(&context));
    if (module && shared.hasApart())
      import.function->setAttr(kSameNamesAttr, shared.others(&context));
    return module;
  }
}

std::string lathe::readOnnxTensor(const std::string &path, MLIRContext &context, OnnxTensor &tensor) {
  onnx::TensorProto proto;
  if (std::string reason = parse(path, proto); !reason.empty())
    return "'" + path + "' " + reason;
  tensor.name = proto.name();
  TensorData data;
  ExternalFiles files(llvm::sys::path::parent_path(path).str());
  if (std::string reason = takeTensor(proto, files, &context, data); !reason.empty())
    return "'" + path + "': " + reason;
  tensor.type = data.type;
  tensor.bytes.assign(data.bytes.begin(), data.bytes.end());
  return "";
}
