// Large constants do not pass through LLVM or the linker, which would keep several copies of them:
//
//   LLVM's object:   code, small constants, and a section of zeros (no bytes in the file) with a symbol per large constant
//   final object:    the same bytes, then the large constants; the section's header says read-only data at that offset
//   linked object:   the section has addresses in a read-only segment, and no bytes in the file
//   shared object:   the same bytes with the large constants between; addresses stay, offsets in the file behind them grow
#include "codegen/Emit/ConstantPool.h"
#include "codegen/Emit/ConstantBytes.h"
#include "llvm/IR/Constants.h"
#include "llvm/Object/ELFObjectFile.h"
#include <map>

using namespace lathe;

constexpr uint64_t kAlignment = 64;

/// The section of constants that are kept back. LLVM makes a section of zeros, without data in the object, because of its
/// prefix. In the final object the section's name is the rest; for the linker, which puts sections of other names elsewhere, it
/// is the end.
constexpr llvm::StringLiteral kZeros = ".bss.", kSection = ".bss..rodata.lathe", kLinked = ".lathe";

bool ConstantPool::write(const Stored &stored, ByteSink write) {
  llvm::ArrayRef<char> bytes = *ownBytes(stored.value);
  return stored.panels ? stored.panels->write(bytes, write) : write({bytes.data(), bytes.size()});
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
      write({constant.getValue(), panels}, [&](llvm::StringRef part) { return bytes.append(part), true; });
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
using ELF = llvm::object::ELF64LE;
using ELFFile = llvm::object::ELFObjectFile<ELF>;
} // namespace

uint64_t ConstantPool::keptBytes() const {
  uint64_t bytes = 0;
  for (auto &entry : waiting)
    bytes += entry.second.panels ? entry.second.panels->bytes() : ownBytes(entry.second.value)->size();
  return bytes;
}

/// Finds the symbols of constants in an object, by their offsets in the section that they are in, and the section's header.
template <typename Constants>
static llvm::Expected<ELF::Shdr *> find(ELFFile &file, const Constants &waiting, std::map<uint64_t, llvm::StringRef> &places) {
  ELF::Shdr *header = nullptr;
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
    header = const_cast<ELF::Shdr *>(file.getSection((*section)->getRawDataRefImpl()));
    places[*place] = entry->first();
  }
  if (places.size() != waiting.size() || header->sh_type != llvm::ELF::SHT_NOBITS)
    return llvm::createStringError("the object lacks a symbol of a constant");
  return header;
}

/// Makes the section of constants in an object read-only, and cuts `prefix` from its name.
static void setReadOnly(ELF::Shdr &header, size_t prefix) {
  header.sh_flags = header.sh_flags & ~uint64_t(llvm::ELF::SHF_WRITE);
  header.sh_name = header.sh_name + uint32_t(prefix);
}

static bool writeZeros(uint64_t count, ByteSink write) { return !count || write(std::string(count, '\0')); }

std::string ConstantPool::fill(llvm::StringRef output, const Hole &hole, const Places &places, ByteSink write) {
  llvm::DenseMap<mlir::Attribute, unsigned> copies;
  for (auto &entry : waiting)
    ++copies[entry.second.value];
  uint64_t at = hole.gap;
  bool isWritten = write(output.take_front(hole.gap));
  auto countAndWrite = [&](llvm::StringRef bytes) { return at += bytes.size(), write(bytes); };
  for (auto &[place, symbol] : places) {
    const Stored &stored = waiting.find(symbol)->second;
    if (at > hole.begin + place)
      return "the constants are not as long as their symbols";
    isWritten = isWritten && writeZeros(hole.begin + place - at, countAndWrite) && ConstantPool::write(stored, countAndWrite);
    if (!isWritten)
      return "";
    if (--copies[stored.value] == 0)
      releaseBytes(stored.value);
  }
  waiting.clear();
  if (at > hole.end)
    return "the constants are not as long as their symbols";
  if (writeZeros(hole.end - at, write) && hole.gap < output.size())
    write(output.drop_front(hole.gap));
  return "";
}

std::string ConstantPool::writeObject(std::string object, ByteSink write) {
  if (waiting.empty())
    return write(object), "";
  Places places;
  Hole hole{object.size(), llvm::alignTo(object.size(), kAlignment), 0};
  auto file = ELFFile::create(llvm::MemoryBufferRef(object, "object"));
  auto header = file ? find(*file, waiting, places) : file.takeError();
  if (!header)
    return llvm::toString(header.takeError());
  setReadOnly(**header, kZeros.size());
  (*header)->sh_type = llvm::ELF::SHT_PROGBITS;
  (*header)->sh_offset = hole.begin;
  hole.end = hole.begin + (*header)->sh_size;
  return fill(object, hole, places, write);
}

/// Gives the section of constants in a linked file a place in the file, and moves what is behind it. `gap`, `begin` and `end`
/// are those of ConstantPool::Hole. Returns false if the linker has made no such section.
static bool openHole(std::string &linked, uint64_t &gap, uint64_t &begin, uint64_t &end) {
  auto file = llvm::cantFail(llvm::object::ELFFile<ELF>::create(linked));
  auto mutableRange = [](auto range) {
    using Entry = std::remove_const_t<std::remove_reference_t<decltype(*range.begin())>>;
    return llvm::MutableArrayRef(const_cast<Entry *>(range.data()), range.size());
  };
  auto sections = mutableRange(llvm::cantFail(file.sections()));
  auto segments = mutableRange(llvm::cantFail(file.program_headers()));
  auto isHole = [&](const ELF::Shdr &section) {
    return section.sh_type == llvm::ELF::SHT_NOBITS && llvm::cantFail(file.getSectionName(section)) == kLinked;
  };
  auto section = llvm::find_if(sections, isHole);
  auto isAround = [&](const ELF::Phdr &segment) {
    return segment.p_type == llvm::ELF::PT_LOAD && segment.p_vaddr <= section->sh_addr &&
           section->sh_addr + section->sh_size == segment.p_vaddr + segment.p_memsz;
  };
  auto segment = section == sections.end() ? segments.end() : llvm::find_if(segments, isAround);
  if (segment == segments.end())
    return false;
  gap = segment->p_offset + segment->p_filesz;
  begin = segment->p_offset + (section->sh_addr - segment->p_vaddr);
  uint64_t moved = llvm::alignTo(begin + section->sh_size - gap, segment->p_align);
  end = gap + moved;
  auto move = [&](auto &offset) { offset = offset >= gap ? offset + moved : offset; };
  for (ELF::Phdr &each : segments)
    if (&each != &*segment)
      move(each.p_offset);
  for (ELF::Shdr &each : sections)
    move(each.sh_offset);
  segment->p_filesz = segment->p_memsz;
  section->sh_type = llvm::ELF::SHT_PROGBITS;
  section->sh_offset = begin;
  move(reinterpret_cast<ELF::Ehdr *>(linked.data())->e_shoff);
  return true;
}

std::string ConstantPool::writeShared(std::string object, Linker link, ByteSink write) {
  Places places;
  if (!waiting.empty()) {
    auto file = ELFFile::create(llvm::MemoryBufferRef(object, "object"));
    auto header = file ? find(*file, waiting, places) : file.takeError();
    if (!header)
      return llvm::toString(header.takeError());
    setReadOnly(**header, kSection.size() - kLinked.size());
  }
  std::string error, linked = link(object, error);
  if (linked.empty())
    return error;
  if (places.empty())
    return write(linked), "";
  Hole hole;
  return openHole(linked, hole.gap, hole.begin, hole.end) ? fill(linked, hole, places, write)
                                                          : "the linked object lacks the section of constants";
}
