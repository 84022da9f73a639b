#include "codegen/Emit/WeightsFile.h"
#include "codegen/Emit/ConstantBytes.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace lathe;

constexpr uint64_t kAlignment = 64;
constexpr StringLiteral kFingerprint = "{\"__metadata__\":{\"lathe\":\"";
static_assert(8 + kFingerprint.size() == WeightsFile::kFingerprintPlace);

/// Returns the format's name of an element type.
static StringRef typeName(Element element) {
  static const std::map<Element, StringRef> names = {
      {Element::I1, "BOOL"},   {Element::I8, "I8"},   {Element::I16, "I16"}, {Element::I32, "I32"}, {Element::I64, "I64"},
      {Element::U8, "U8"},     {Element::U16, "U16"}, {Element::U32, "U32"}, {Element::U64, "U64"}, {Element::F16, "F16"},
      {Element::BF16, "BF16"}, {Element::F32, "F32"}, {Element::F64, "F64"}};
  return names.at(element);
}

WeightsFile::WeightsFile(ModuleOp graph) {
  graph.walk([&](ConstantOp op) { add(op.getValue()); });
  if (!tensors.empty())
    writeHeader();
}

/// Returns the name, with a number appended if another tensor has it.
std::string WeightsFile::freeName(StringRef wanted) {
  std::string name = wanted.str();
  for (unsigned &count = clashes[wanted]; !names.insert(name).second;)
    name = wanted.str() + "#" + std::to_string(++count + 1);
  return name;
}

/// Adds a constant. The format allows no holes, so that padding is a tensor too.
void WeightsFile::add(ElementsAttr value) {
  std::optional<ArrayRef<char>> bytes = ownBytes(value);
  if (!bytes || bytes->size() <= kSmallConstant || !places.try_emplace(value, dataSize).second)
    return;
  auto resource = dyn_cast<DenseResourceElementsAttr>(value);
  std::string name = freeName(resource ? resource.getRawHandle().getKey() : "constant");
  tensors.push_back({name, value, dataSize, bytes->size()});
  dataSize += bytes->size();
  if (uint64_t rest = dataSize % kAlignment) {
    tensors.push_back({freeName("#padding"), {}, dataSize, kAlignment - rest});
    dataSize += kAlignment - rest;
  }
}

void WeightsFile::writeHeader() {
  std::string list;
  llvm::raw_string_ostream out(list);
  std::string hashes;
  for (const StoredTensor &tensor : tensors) {
    auto type = tensor.value ? cast<RankedTensorType>(tensor.value.getShapedType()) : RankedTensorType();
    llvm::json::Array shape = type ? llvm::json::Array(type.getShape()) : llvm::json::Array({int64_t(tensor.size)});
    out << ",\n"
        << llvm::json::Value(llvm::json::fixUTF8(tensor.name)) << ":"
        << llvm::json::Value(llvm::json::Object{
               {"dtype", type ? typeName(*elementOf(type.getElementType())) : "U8"},
               {"shape", std::move(shape)},
               {"data_offsets", llvm::json::Array({int64_t(tensor.place), int64_t(tensor.place + tensor.size)})}});
    if (tensor.value)
      hashes += llvm::utohexstr(llvm::xxh3_64bits(
          llvm::arrayRefFromStringRef(StringRef(ownBytes(tensor.value)->data(), ownBytes(tensor.value)->size()))));
  }
  std::string hash = llvm::utohexstr(llvm::xxh3_64bits(hashes + list), /*LowerCase=*/true, kFingerprintLength);
  std::string text = kFingerprint.str() + hash + "\"}" + list + "}";
  text.append(llvm::offsetToAlignment(8 + text.size(), llvm::Align(kAlignment)), ' ');
  char length[8];
  llvm::support::endian::write64le(length, text.size());
  header.assign(length, sizeof length);
  header += text;
}

bool WeightsFile::isReadBy(Operation *function) const {
  return function
      ->walk([&](ConstantOp op) { return places.contains(op.getValue()) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

std::optional<uint64_t> WeightsFile::placeOf(ElementsAttr value) const {
  auto found = places.find(value);
  return found == places.end() ? std::nullopt : std::optional(header.size() + found->second);
}

std::string WeightsFile::take() {
  std::string file;
  file.reserve(size());
  file += header;
  for (const StoredTensor &tensor : tensors) {
    if (!tensor.value) {
      file.append(tensor.size, '\0');
      continue;
    }
    ArrayRef<char> bytes = *ownBytes(tensor.value);
    file.append(bytes.begin(), bytes.end());
    releaseBytes(tensor.value);
  }
  return file;
}
