// Large constants do not pass through LLVM, which would keep several copies of them:
//
//   LLVM's object: code, small constants, and a section of zeros (no bytes in the file) with a symbol per large constant
//   final object:  the same bytes, then the large constants; the section's header says read-only data at that offset
#include "codegen/Emit/ConstantPool.h"
#include "codegen/Emit/ConstantBytes.h"
#include "llvm/IR/Constants.h"
#include "llvm/Object/ELFObjectFile.h"
#include <map>

using namespace lathe;

constexpr uint64_t kAlignment = 64;

/// The section of constants that are kept back. LLVM makes a section of zeros, without data in the object, because of its
/// prefix; in the final object the section's name is the rest.
constexpr llvm::StringLiteral kZeros = ".bss.", kSection = ".bss..rodata.lathe";

void ConstantPool::append(const Stored &stored, std::string &to) {
  llvm::ArrayRef<char> bytes = *ownBytes(stored.value);
  if (stored.panels)
    stored.panels->append(bytes, to);
  else
    to.append(bytes.begin(), bytes.end());
}

llvm::GlobalVariable *ConstantPool::get(llvm::Module &code, ConstantOp constant, std::optional<PanelLayout> panels) {
  llvm::GlobalVariable *&global = globals[{constant.getValue().getAsOpaquePointer(), panels}];
  if (global)
    return global;
  std::optional<llvm::ArrayRef<char>> own = ownBytes(constant.getValue());
  size_t size = panels ? panels->bytes() : own ? own->size() : 0;
  bool waits = !keepsAll && own && size > kSmallConstant;
  auto *type = llvm::Type::getInt8Ty(code.getContext());
  llvm::Constant *data;
  if (waits) {
    data = llvm::ConstantAggregateZero::get(llvm::ArrayType::get(type, size));
  } else {
    std::string bytes;
    if (own)
      append({constant.getValue(), panels}, bytes);
    else
      llvm::append_range(bytes, bytesOf(mlir::cast<mlir::DenseElementsAttr>(constant.getValue())));
    data = llvm::ConstantDataArray::getRaw(bytes, bytes.size(), type);
  }
  global = new llvm::GlobalVariable(code, data->getType(), true, llvm::GlobalValue::InternalLinkage, data, "constant");
  global->setAlignment(llvm::Align(kAlignment));
  if (waits) {
    global->setExternallyInitialized(true); // prevents loads from being folded to zeros
    global->setSection(kSection);
    waiting[global->getName()] = {constant.getValue(), panels};
  }
  return global;
}

void ConstantPool::removeUnread() {
  std::erase_if(globals, [&](auto &entry) {
    llvm::GlobalVariable *global = entry.second;
    if (!global->use_empty())
      return false;
    waiting.erase(global->getName());
    global->eraseFromParent();
    return true;
  });
}

bool ConstantPool::canAppendTo(const llvm::Triple &target) {
  return target.isOSBinFormatELF() && target.isArch64Bit() && target.isLittleEndian();
}

namespace {
using ELFFile = llvm::object::ELFObjectFile<llvm::object::ELF64LE>;

/// The section of constants that are kept back, in an object.
struct Zeros {
  llvm::object::ELF64LE::Shdr *header = nullptr;
  std::map<uint64_t, llvm::StringRef> symbols; // of constants, by their offsets in the section
};
} // namespace

template <typename Constants>
static llvm::Error find(ELFFile &file, const Constants &waiting, Zeros &zeros) {
  for (const llvm::object::SymbolRef &symbol : file.symbols()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    auto entry = waiting.find(*name);
    if (entry == waiting.end())
      continue;
    auto section = symbol.getSection();
    if (!section)
      return section.takeError();
    llvm::Expected<uint64_t> place = symbol.getValue(); // the offset in its section, since the object is not linked
    if (!place)
      return place.takeError();
    zeros.header = const_cast<llvm::object::ELF64LE::Shdr *>(file.getSection((*section)->getRawDataRefImpl()));
    zeros.symbols[*place] = entry->first();
  }
  return llvm::Error::success();
}

/// Turns the section of zeros into one of read-only data at `place` in the file.
static void fill(llvm::object::ELF64LE::Shdr &header, uint64_t place) {
  header.sh_type = llvm::ELF::SHT_PROGBITS;
  header.sh_flags = header.sh_flags & ~uint64_t(llvm::ELF::SHF_WRITE);
  header.sh_name = header.sh_name + uint32_t(kZeros.size());
  header.sh_offset = place;
}

std::string ConstantPool::appendTo(std::string &object) {
  if (waiting.empty())
    return "";
  uint64_t begin = llvm::alignTo(object.size(), kAlignment), size = 0;
  Zeros zeros;
  {
    auto file = ELFFile::create(llvm::MemoryBufferRef(object, "object"));
    if (!file)
      return llvm::toString(file.takeError());
    if (llvm::Error error = find(*file, waiting, zeros))
      return llvm::toString(std::move(error));
    if (zeros.symbols.size() != waiting.size() || zeros.header->sh_type != llvm::ELF::SHT_NOBITS)
      return "the object lacks a symbol of a constant";
    size = zeros.header->sh_size;
    fill(*zeros.header, begin);
  }
  object.reserve(begin + size); // avoids doubling
  llvm::DenseMap<mlir::Attribute, unsigned> copies;
  for (auto &entry : waiting)
    ++copies[entry.second.value];
  for (auto &[place, symbol] : zeros.symbols) {
    const Stored &stored = waiting.find(symbol)->second;
    object.resize(begin + place);
    append(stored, object);
    if (--copies[stored.value] == 0)
      releaseBytes(stored.value);
  }
  waiting.clear();
  return object.size() == begin + size ? "" : "the constants are not as long as their symbols";
}
