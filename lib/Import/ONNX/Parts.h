// The messages in a model's file whose fields are messages in turn.
#ifndef LATHE_IMPORT_ONNX_PARTS_H
#define LATHE_IMPORT_ONNX_PARTS_H

namespace lathe::onnximport {

/// A kind of message in a model's file. `Leaf` is every field without parts of its own, `Initializer` a tensor of a graph,
/// `Wrapped` the types of sequences, maps and optional values.
enum class MessageKind {
  Leaf,
  Model,
  Training,
  Function,
  Graph,
  Node,
  Attribute,
  Sparse,
  Tensor,
  Initializer,
  Annotation,
  ValueInfo,
  Type,
  Wrapped,
  TensorType,
  Shape
};

/// Returns the kind of a field of a message.
MessageKind kindOfField(MessageKind in, int field);

/// The parser accepts less nesting.
inline constexpr int kDeepest = 200;

} // namespace lathe::onnximport

#endif
