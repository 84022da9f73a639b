// Changes of graphs that know what nodes, names and tensors are, and the entries that libFuzzer calls.
#include "test/fuzz/onnx/Messages.h"
#include "test/fuzz/onnx/Mutator.h"
#include <google/protobuf/stubs/logging.h>

using namespace lathe;
using namespace lathe::onnxfuzz;
using lathe::onnximport::converters;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

template <typename T>
static std::vector<T *> allOf(onnx::ModelProto &model) {
  std::vector<Message *> messages;
  collect(model, messages);
  std::vector<T *> found;
  for (Message *message : messages)
    if (auto *each = dynamic_cast<T *>(message))
      found.push_back(each);
  return found;
}

std::string Mutator::freshName() { return "v" + std::to_string(random()); }

std::vector<std::string> Mutator::names(const onnx::GraphProto &graph, int before) {
  std::vector<std::string> names;
  for (const auto &input : graph.input())
    names.push_back(input.name());
  for (const auto &initializer : graph.initializer())
    names.push_back(initializer.name());
  for (int i = 0; i < before; ++i)
    names.insert(names.end(), graph.node(i).output().begin(), graph.node(i).output().end());
  return names;
}

void Mutator::addAttribute(onnx::NodeProto &node, llvm::StringRef names) {
  llvm::SmallVector<llvm::StringRef> split;
  names.split(split, ',', -1, /*KeepEmpty=*/false);
  if (split.empty())
    return;
  using Attribute = onnx::AttributeProto;
  static constexpr Attribute::AttributeType kTypes[] = {Attribute::INT, Attribute::INTS, Attribute::FLOAT, Attribute::FLOATS,
                                                        Attribute::STRING};
  Attribute &attribute = *node.add_attribute();
  attribute.set_name(oneOf(split).str());
  attribute.set_type(oneOf(kTypes));
  attribute.set_i(integer());
  attribute.set_f(float(real()));
  for (int64_t left = below(5); left > 0; --left)
    attribute.add_ints(integer());
  for (int64_t left = below(3); left > 0; --left)
    attribute.add_floats(float(real()));
  static constexpr const char *kWords[] = {"linear",  "nearest",       "cubic", "SAME_UPPER",   "VALID",
                                           "reverse", "bidirectional", "add",   "max",          "reflect",
                                           "edge",    "ij,jk->ik",     "tanh",  "align_corners"};
  attribute.set_s(oneOf(kWords));
}

void Mutator::changeOperator(onnx::NodeProto &node) {
  static const std::vector<const onnximport::Converters::value_type *> all = [] {
    std::vector<const onnximport::Converters::value_type *> entries;
    for (const auto &entry : converters())
      entries.push_back(&entry);
    return entries;
  }();
  auto &[name, converter] = *oneOf(all);
  llvm::StringRef domain, op = name;
  if (size_t colon = op.find(':'); colon != llvm::StringRef::npos)
    domain = op.take_front(colon), op = op.drop_front(colon + 1);
  node.set_op_type(op.str());
  node.set_domain(domain.str());
  if (below(4))
    node.clear_attribute();
  for (int64_t left = below(4); left > 0; --left)
    addAttribute(node, converter.attributes);
}

/// A node at the end, whose first output is one of the graph, so that it is needed.
void Mutator::addNode(onnx::GraphProto &graph) {
  std::vector<std::string> taken = names(graph, graph.node_size());
  onnx::NodeProto &node = *graph.add_node();
  changeOperator(node);
  for (int64_t left = below(5); left > 0 && !taken.empty(); --left)
    node.add_input(below(8) ? oneOf(taken) : "");
  for (int64_t left = 1 + below(3); left > 0; --left)
    node.add_output(freshName());
  onnx::ValueInfoProto &output = *graph.add_output();
  output.set_name(node.output(0));
}

void Mutator::addInitializer(onnx::GraphProto &graph) {
  onnx::TensorProto &tensor = *graph.add_initializer();
  tensor.set_name(freshName());
  static constexpr int kTypes[] = {1, 7, 7, 6, 9, 11, 10, 2};
  tensor.set_data_type(oneOf(kTypes));
  for (int64_t left = below(3); left > 0; --left)
    tensor.add_dims(below(5));
  for (int64_t left = 1 + below(8); left > 0; --left)
    tensor.mutable_raw_data()->append(std::string(1, char(below(6))) + std::string(7, below(16) ? 0 : char(255)));
  if (graph.node_size()) {
    onnx::NodeProto &user = *graph.mutable_node(int(below(graph.node_size())));
    if (user.input_size() && below(2))
      user.set_input(int(below(user.input_size())), tensor.name());
    else
      user.add_input(tensor.name());
  }
}

void Mutator::rewire(onnx::GraphProto &graph) {
  if (!graph.node_size())
    return;
  int index = int(below(graph.node_size()));
  std::vector<std::string> taken = names(graph, index);
  onnx::NodeProto &node = *graph.mutable_node(index);
  if (taken.empty() || !node.input_size())
    return;
  node.set_input(int(below(node.input_size())), oneOf(taken));
}

/// Bytes of an element; 4 of a type that the importer refuses.
static int64_t widthOf(int type) {
  using T = onnx::TensorProto;
  switch (type) {
  case T::DOUBLE:
  case T::INT64:
  case T::UINT64:
    return 8;
  case T::FLOAT16:
  case T::BFLOAT16:
  case T::INT16:
  case T::UINT16:
    return 2;
  case T::INT8:
  case T::UINT8:
  case T::BOOL:
    return 1;
  default:
    return 4;
  }
}

static void fit(onnx::TensorProto &tensor) {
  constexpr int64_t kMostBytes = 4096;
  int64_t bytes = widthOf(tensor.data_type());
  for (int64_t extent : tensor.dims())
    if (extent < 0 || llvm::MulOverflow(bytes, extent, bytes) || bytes > kMostBytes)
      return;
  if (int64_t(tensor.raw_data().size()) == bytes || (!tensor.has_raw_data() && tensor.ByteSizeLong() > 64))
    return;
  tensor.mutable_raw_data()->resize(size_t(bytes));
}

void Mutator::repair() {
  for (onnx::TensorProto *tensor : allOf<onnx::TensorProto>(model))
    fit(*tensor);
  for (onnx::GraphProto *graph : allOf<onnx::GraphProto>(model)) {
    llvm::StringSet<> given;
    for (const std::string &name : names(*graph, 0))
      given.insert(name);
    for (onnx::NodeProto &node : *graph->mutable_node())
      for (std::string &output : *node.mutable_output())
        if (!output.empty() && !given.insert(output).second)
          output = freshName();
  }
}

void Mutator::mutate() {
  for (int64_t left = 1 + below(4); left > 0; --left) {
    std::vector<onnx::GraphProto *> graphs = allOf<onnx::GraphProto>(model);
    onnx::GraphProto &graph = graphs.empty() ? *model.mutable_graph() : *oneOf(graphs);
    switch (below(10)) {
    case 0:
      addNode(graph);
      break;
    case 1:
      addInitializer(graph);
      break;
    case 2:
    case 3:
      rewire(graph);
      break;
    case 4:
      if (graph.node_size())
        changeOperator(*graph.mutable_node(int(below(graph.node_size()))));
      break;
    default: {
      std::vector<Message *> messages;
      collect(model, messages);
      changeField(*oneOf(messages));
    }
    }
  }
  if (below(8))
    repair();
}

static bool parse(onnx::ModelProto &model, const uint8_t *data, size_t size) {
  google::protobuf::LogSilencer silencer;
  return model.ParsePartialFromArray(data, int(size));
}

/// The size of the model's bytes in `out`; 0 where they are too many.
static size_t store(const onnx::ModelProto &model, uint8_t *out, size_t most) {
  size_t size = model.ByteSizeLong();
  return size <= most && model.SerializePartialToArray(out, int(most)) ? size : 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
  constexpr unsigned kBytesAlone = 16; // of so many changes one is of bytes
  onnx::ModelProto model;
  if (seed % kBytesAlone == 0 || !parse(model, data, size))
    return LLVMFuzzerMutate(data, size, most);
  Mutator(model, seed).mutate();
  size_t stored = store(model, data, most);
  return stored ? stored : LLVMFuzzerMutate(data, size, most);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *data, size_t size, const uint8_t *otherData, size_t otherSize,
                                            uint8_t *out, size_t most, unsigned seed) {
  onnx::ModelProto model, other;
  if (!parse(model, data, size) || !parse(other, otherData, otherSize))
    return 0;
  Mutator(model, seed).splice(other);
  return store(model, out, most);
}
