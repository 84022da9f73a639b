// Changes models as models, so that what comes of them gets past the parser.
#ifndef LATHE_TEST_FUZZ_ONNX_MUTATOR_H
#define LATHE_TEST_FUZZ_ONNX_MUTATOR_H

#include "lib/Import/ONNX/Node.h"
#include <random>

namespace lathe::onnxfuzz {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

class Mutator {
public:
  Mutator(onnx::ModelProto &model, unsigned seed) : model(model), random(seed) {}

  /// A few changes anywhere.
  void mutate();
  /// Puts messages of another model where there are some of their type.
  void splice(onnx::ModelProto &other);

private:
  // Mutations of any message, by reflection.
  void changeField(Message &message);
  void changeRepeated(Message &message, const FieldDescriptor &field);
  /// Sets a field, or element `index` of a repeated one; one more where there are no more.
  void write(Message &message, const FieldDescriptor &field, int index);
  std::string text(const FieldDescriptor &field);
  int64_t integer();
  double real();

  // Mutations of graphs.
  void addNode(onnx::GraphProto &graph);
  void addInitializer(onnx::GraphProto &graph);
  void rewire(onnx::GraphProto &graph);
  void changeOperator(onnx::NodeProto &node);
  void addAttribute(onnx::NodeProto &node, llvm::StringRef names);
  /// Names that node `before` may take.
  std::vector<std::string> names(const onnx::GraphProto &graph, int before);
  std::string freshName();
  /// Lengths that are those of the shapes, and names that are given once: else most nodes are refused for the same reasons.
  void repair();

  int64_t below(int64_t bound) { return std::uniform_int_distribution<int64_t>(0, bound - 1)(random); }
  template <typename List>
  auto &oneOf(List &&list) {
    return list[below(int64_t(std::size(list)))];
  }

  onnx::ModelProto &model;
  std::mt19937 random;
};

} // namespace lathe::onnxfuzz

#endif
