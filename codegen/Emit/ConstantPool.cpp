#include "codegen/Emit/ConstantPool.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/IR/Constants.h"
#include "llvm/Object/ELFObjectFile.h"

using namespace lathe;

constexpr size_t kKept = 4096; // bytes that may as well go through LLVM

/// A byte for each i1, as tensors in memory have it; splats written out.
static std::vector<char> bytesOf(mlir::DenseElementsAttr dense) {
  std::vector<char> bytes;
  if (dense.getElementType().isInteger(1)) {
    for (bool value : dense.getValues<bool>())
      bytes.push_back(value);
    return bytes;
  }
  llvm::ArrayRef<char> raw = dense.getRawData();
  for (int64_t i = 0, n = dense.isSplat() ? dense.getNumElements() : 1; i < n; ++i)
    bytes.insert(bytes.end(), raw.begin(), raw.end());
  return bytes;
}

/// The attribute's own bytes, where it has them as they lie in memory.
static std::optional<llvm::ArrayRef<char>> ownBytes(mlir::ElementsAttr value) {
  if (auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(value))
    return resource.getRawHandle().getBlob()->getData(); // the verifier has seen that it is there
  auto dense = mlir::cast<mlir::DenseElementsAttr>(value);
  if (dense.isSplat() || dense.getElementType().isInteger(1))
    return std::nullopt;
  return dense.getRawData();
}

llvm::GlobalVariable *ConstantPool::get(llvm::Module &code, ConstantOp constant) {
  llvm::GlobalVariable *&global = globals[constant.getValue()];
  if (global)
    return global;
  std::optional<llvm::ArrayRef<char>> own = ownBytes(constant.getValue());
  bool waits = !keepsAll && own && own->size() > kKept;
  auto *bytes = llvm::Type::getInt8Ty(code.getContext());
  llvm::Constant *data;
  if (waits) {
    data = llvm::ConstantAggregateZero::get(llvm::ArrayType::get(bytes, own->size()));
  } else {
    std::vector<char> made = own ? own->vec() : bytesOf(mlir::cast<mlir::DenseElementsAttr>(constant.getValue()));
    data = llvm::ConstantDataArray::getRaw(llvm::StringRef(made.data(), made.size()), made.size(), bytes);
  }
  global = new llvm::GlobalVariable(code, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, "constant");
  global->setAlignment(llvm::Align(64));
  if (waits) {
    global->setExternallyInitialized(true); // or loads from it would fold to the zeros
    waiting[global->getName()] = *own;
  }
  return global;
}

size_t ConstantPool::waitingBytes() const {
  size_t sum = 0;
  for (auto &entry : waiting)
    sum += entry.second.size();
  return sum;
}

/// The symbol's place in the file; the reason if it has none.
static llvm::Expected<uint64_t> placeOf(const llvm::object::SymbolRef &symbol) {
  auto section = symbol.getSection();
  if (!section)
    return section.takeError();
  auto value = symbol.getValue(); // of an object that is not linked: from its section's begin
  if (!value)
    return value.takeError();
  return llvm::object::ELFSectionRef(**section).getOffset() + *value;
}

std::string ConstantPool::fill(llvm::MutableArrayRef<char> object) const {
  if (waiting.empty())
    return "";
  auto file = llvm::object::ObjectFile::createObjectFile(
      llvm::MemoryBufferRef(llvm::StringRef(object.data(), object.size()), "object"));
  if (!file)
    return llvm::toString(file.takeError());
  size_t found = 0;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto name = symbol.getName();
    if (!name)
      return llvm::toString(name.takeError());
    auto entry = waiting.find(*name);
    if (entry == waiting.end())
      continue;
    auto place = placeOf(symbol);
    if (!place)
      return llvm::toString(place.takeError());
    llvm::ArrayRef<char> data = entry->second;
    if (*place > object.size() || object.size() - *place < data.size())
      return ("the symbol '" + *name + "' reaches beyond the object").str();
    std::copy(data.begin(), data.end(), object.begin() + *place);
    ++found;
  }
  return found == waiting.size() ? "" : "the object lacks a symbol of a constant";
}
