#include "lib/Import/ONNX/ImportOnnx.h"
#include "dialects/Lathe/IR/SubstituteDims.h"
#include "lib/Import/Constants/ConstInputs.h"
#include "lib/Import/ONNX/CountParts.h"
#include "lib/Import/ONNX/Excerpt.h"
#include "lib/Import/ONNX/Graph.h"
#include "lib/Import/ONNX/Model.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include <google/protobuf/io/coded_stream.h>
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

/// Maps a file, so that what nobody reads stays on the disk. Returns why it cannot be read, or an empty string.
static std::string map(const std::string &path, std::shared_ptr<llvm::MemoryBuffer> &file) {
  uint64_t size = 0;
  if (std::error_code error = llvm::sys::fs::file_size(path, size))
    return "cannot be read: " + error.message();
  if (size > kMostBytes)
    return "has " + std::to_string(size) + " bytes, protobuf reads up to 2^31 - 1; store its weights as external data";
  auto opened = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!opened || (*opened)->getBufferSize() > kMostBytes)
    return "cannot be read";
  file = std::move(*opened);
  return "";
}

/// True if the messages in a file fit into reasonable memory.
static bool hasFewParts(StringRef file) {
  google::protobuf::io::CodedInputStream coded(reinterpret_cast<const uint8_t *>(file.data()), int(file.size()));
  return countParts(coded, kMostParts) <= kMostParts;
}

/// Reads a message, whose `kind` is that of the whole file. Its large initializers refer to the file. Returns why the file is
/// not such a message, or an empty string.
static std::string parse(StringRef file, MessageKind kind, google::protobuf::MessageLite &message) {
  google::protobuf::LogSilencer silencer; // our diagnostic is the only one
  auto read = [&](StringRef bytes, int &end) {
    google::protobuf::io::CodedInputStream coded(reinterpret_cast<const uint8_t *>(bytes.data()), int(bytes.size()));
    coded.SetRecursionLimit(kMostNesting);
    bool isRead = message.ParsePartialFromCodedStream(&coded) && coded.ConsumedEntireMessage();
    end = coded.CurrentPosition();
    return isRead;
  };
  int end = 0;
  if (std::optional<std::string> excerpt = excerptOf(file, kind); excerpt && read(*excerpt, end))
    return "";
  read(file, end); // for the place in the file
  return "is not an ONNX file: it is truncated or damaged at byte " + std::to_string(end) + " of " +
         std::to_string(file.size()) + ", or nests deeper than " + std::to_string(kMostNesting) + " levels";
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

/// Reads the model into `model`, and maps its file.
static LogicalResult readModel(const std::string &path, MLIRContext &context, onnx::ModelProto &model,
                               std::shared_ptr<llvm::MemoryBuffer> &file) {
  Location start = FileLineColLoc::get(&context, path, 0, 0);
  if (std::string reason = map(path, file); !reason.empty())
    return emitError(start) << "'" << path << "' " << reason;
  if (!hasFewParts(file->getBuffer()))
    return emitError(start) << "'" << path << "' has more than " << kMostParts
                            << " nodes, attributes, names and other parts, the limit that protects memory";
  if (std::string reason = parse(file->getBuffer(), MessageKind::Model, model); !reason.empty())
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
    onnx::ModelProto model; // import consumes its small initializers
    std::shared_ptr<llvm::MemoryBuffer> file;
    if (failed(readModel(path, context, model, file)))
      return nullptr;
    if (isFirst)
      sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(listing(model.graph()), path), llvm::SMLoc());
    Model import(model, std::move(file), path, &context, options, fixed, shared);
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
  std::shared_ptr<llvm::MemoryBuffer> file;
  std::string reason = map(path, file);
  if (reason.empty())
    reason = parse(file->getBuffer(), MessageKind::Initializer, proto);
  if (!reason.empty())
    return "'" + path + "' " + reason;
  tensor.name = proto.name();
  TensorData data;
  ExternalFiles files(llvm::sys::path::parent_path(path).str(), file);
  if (std::string reason = takeTensor(proto, files, &context, data); !reason.empty())
    return "'" + path + "': " + reason;
  tensor.type = data.type;
  tensor.bytes.assign(data.bytes.begin(), data.bytes.end());
  return "";
}
