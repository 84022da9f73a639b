// Changes of any field of any message.
#include "test/fuzz/onnx/Messages.h"
#include "test/fuzz/onnx/Mutator.h"
#include <cmath>

using namespace lathe;
using namespace lathe::onnxfuzz;
using google::protobuf::Reflection;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

void onnxfuzz::collect(Message &message, std::vector<Message *> &messages) {
  messages.push_back(&message);
  std::vector<const FieldDescriptor *> fields;
  const Reflection &reflection = *message.GetReflection();
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor *field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
      continue;
    if (!field->is_repeated())
      collect(*reflection.MutableMessage(&message, field), messages);
    for (int i = 0; field->is_repeated() && i < reflection.FieldSize(message, field); ++i)
      collect(*reflection.MutableRepeatedMessage(&message, field, i), messages);
  }
}

int64_t Mutator::integer() {
  static constexpr int64_t kEnds[] = {0,
                                      1,
                                      -1,
                                      2,
                                      3,
                                      4,
                                      7,
                                      8,
                                      9,
                                      16,
                                      63,
                                      64,
                                      65,
                                      100,
                                      255,
                                      256,
                                      257,
                                      1024,
                                      65535,
                                      65536,
                                      1 << 20,
                                      1 << 24,
                                      INT32_MAX,
                                      INT32_MIN,
                                      UINT32_MAX,
                                      1LL << 32,
                                      1LL << 40,
                                      1LL << 62,
                                      INT64_MAX,
                                      INT64_MIN,
                                      -2,
                                      -3,
                                      INT64_MAX - 1,
                                      INT64_MIN + 1};
  return below(3) ? below(14) - 3 : oneOf(kEnds);
}

double Mutator::real() {
  static constexpr double kEnds[] = {0., -0., 1., -1., 0.5, 2., 1e-45, 3.4028235e38, 1e300, 9.3e18, INFINITY, -INFINITY, NAN};
  return below(3) ? oneOf(kEnds) : double(integer());
}

/// Texts are those that the field has elsewhere, and for names those that stand for values.
std::string Mutator::text(const FieldDescriptor &field) {
  std::vector<Message *> messages;
  collect(model, messages);
  std::vector<std::string> texts;
  for (Message *message : messages) {
    if (auto *node = dynamic_cast<onnx::NodeProto *>(message); node && field.name() != "op_type")
      texts.insert(texts.end(), node->output().begin(), node->output().end());
    if (message->GetDescriptor() != field.containing_type())
      continue;
    const Reflection &reflection = *message->GetReflection();
    for (int i = 0; field.is_repeated() && i < reflection.FieldSize(*message, &field); ++i)
      texts.push_back(reflection.GetRepeatedString(*message, &field, i));
    if (!field.is_repeated())
      texts.push_back(reflection.GetString(*message, &field));
  }
  std::string text = texts.empty() || below(16) == 0 ? "" : oneOf(texts);
  if (below(4) != 0)
    return text;
  constexpr size_t kMost = 64;
  text.resize(kMost);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(text.data()), std::min(text.find('\0'), kMost), kMost));
  return text;
}

void Mutator::write(Message &message, const FieldDescriptor &field, int index) {
  const Reflection &reflection = *message.GetReflection();
  auto put = [&](auto set, auto setRepeated, auto add, auto value) {
    if (!field.is_repeated())
      (reflection.*set)(&message, &field, value);
    else if (index < reflection.FieldSize(message, &field))
      (reflection.*setRepeated)(&message, &field, index, value);
    else
      (reflection.*add)(&message, &field, value);
  };
  using R = Reflection;
  switch (field.cpp_type()) {
  case FieldDescriptor::CPPTYPE_INT32:
    return put(&R::SetInt32, &R::SetRepeatedInt32, &R::AddInt32, int32_t(integer()));
  case FieldDescriptor::CPPTYPE_INT64:
    return put(&R::SetInt64, &R::SetRepeatedInt64, &R::AddInt64, integer());
  case FieldDescriptor::CPPTYPE_UINT32:
    return put(&R::SetUInt32, &R::SetRepeatedUInt32, &R::AddUInt32, uint32_t(integer()));
  case FieldDescriptor::CPPTYPE_UINT64:
    return put(&R::SetUInt64, &R::SetRepeatedUInt64, &R::AddUInt64, uint64_t(integer()));
  case FieldDescriptor::CPPTYPE_FLOAT:
    return put(&R::SetFloat, &R::SetRepeatedFloat, &R::AddFloat, float(real()));
  case FieldDescriptor::CPPTYPE_DOUBLE:
    return put(&R::SetDouble, &R::SetRepeatedDouble, &R::AddDouble, real());
  case FieldDescriptor::CPPTYPE_BOOL:
    return put(&R::SetBool, &R::SetRepeatedBool, &R::AddBool, below(2) == 0);
  case FieldDescriptor::CPPTYPE_ENUM: {
    const auto &values = *field.enum_type();
    return put(&R::SetEnumValue, &R::SetRepeatedEnumValue, &R::AddEnumValue,
               values.value(int(below(values.value_count())))->number());
  }
  case FieldDescriptor::CPPTYPE_STRING: {
    if (field.is_repeated() && index >= reflection.FieldSize(message, &field))
      return reflection.AddString(&message, &field, text(field));
    if (field.is_repeated())
      return reflection.SetRepeatedString(&message, &field, index, text(field));
    return reflection.SetString(&message, &field, text(field));
  }
  case FieldDescriptor::CPPTYPE_MESSAGE:
    if (field.is_repeated())
      reflection.AddMessage(&message, &field);
    else
      reflection.MutableMessage(&message, &field);
  }
}

void Mutator::changeRepeated(Message &message, const FieldDescriptor &field) {
  const Reflection &reflection = *message.GetReflection();
  int size = reflection.FieldSize(message, &field);
  switch (size ? below(5) : 3) {
  case 0:
    return reflection.RemoveLast(&message, &field);
  case 1:
    return reflection.SwapElements(&message, &field, int(below(size)), int(below(size)));
  case 2: // any element, by way of the last place
    reflection.SwapElements(&message, &field, int(below(size)), size - 1);
    return reflection.RemoveLast(&message, &field);
  case 3:
    write(message, field, size);
    if (size && field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      reflection.MutableRepeatedMessage(&message, &field, size)
          ->CopyFrom(reflection.GetRepeatedMessage(message, &field, int(below(size))));
    return;
  default:
    if (field.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE)
      return changeField(*reflection.MutableRepeatedMessage(&message, &field, int(below(size))));
    return write(message, field, int(below(size)));
  }
}

void Mutator::changeField(Message &message) {
  const Reflection &reflection = *message.GetReflection();
  std::vector<const FieldDescriptor *> fields;
  reflection.ListFields(message, &fields);
  if (fields.empty() || below(5) == 0) // one that is not set, too
    fields.push_back(message.GetDescriptor()->field(int(below(message.GetDescriptor()->field_count()))));
  const FieldDescriptor &field = *oneOf(fields);
  if (field.is_repeated())
    return changeRepeated(message, field);
  if (below(8) == 0)
    return reflection.ClearField(&message, &field);
  write(message, field, 0);
}

void Mutator::splice(onnx::ModelProto &other) {
  std::vector<Message *> own, others;
  collect(model, own);
  collect(other, others);
  const Message &taken = *oneOf(others);
  llvm::erase_if(own, [&](Message *each) { return each->GetDescriptor() != taken.GetDescriptor(); });
  if (!own.empty())
    oneOf(own)->CopyFrom(taken);
  if (auto *node = dynamic_cast<const onnx::NodeProto *>(&taken))
    *model.mutable_graph()->add_node() = *node;
  if (auto *tensor = dynamic_cast<const onnx::TensorProto *>(&taken))
    *model.mutable_graph()->add_initializer() = *tensor;
  repair();
}
