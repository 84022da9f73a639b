#include "lib/Compiler/Link.h"
#include "codegen/Emit/ObjectWriter.h"
#include "lib/Support/StringStream.h"
#include "lld/Common/Driver.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Object/Binary.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <deque>
#include <mutex>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

using namespace lathe;

TemporaryFile::TemporaryFile(llvm::StringRef suffix) {
  const char *folder = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  llvm::SmallString<64> unique;
  auto mode = llvm::sys::fs::owner_read | llvm::sys::fs::owner_write;
  if (!llvm::sys::fs::createUniqueFile(folder + llvm::Twine("/lathe-%%%%%%") + suffix, unique, mode))
    path = unique.str();
}

TemporaryFile::~TemporaryFile() {
  if (!path.empty())
    unlink(path.c_str());
}

bool TemporaryFile::write(llvm::StringRef bytes, std::string &error) {
  std::error_code problem;
  llvm::raw_fd_ostream out(path, problem);
  if (!problem) {
    out << bytes;
    out.close();
    problem = out.error();
    out.clear_error(); // the caller reports the error; left in place it would end the process
  }
  if (problem)
    error = "cannot write '" + path + "': " + problem.message();
  return !problem;
}

/// Runs the linker, one at a time in this process, as it has global state. Returns false with its messages in `error`.
static bool runLinker(llvm::ArrayRef<const char *> arguments, llvm::StringRef what, std::string &error) {
  static std::mutex linking;
  std::lock_guard<std::mutex> alone(linking);
  llvm::CrashRecoveryContext::Enable();
  std::string text;
  llvm::raw_string_ostream messages(text);
  lld::Result result = lld::lldMain(arguments, messages, messages, {{lld::Gnu, &lld::elf::link}});
  disableIdlePasses(); // the linker has reset LLVM's options
  if (result.retCode == 0)
    return true;
  error = "cannot link '" + what.str() + "': " + text;
  return false;
}

/// Returns the bytes of a file that the linker wrote; empty, with the reason in `error`, on failure.
static std::string bytesOf(const TemporaryFile &file, std::string &error) {
  auto bytes = llvm::MemoryBuffer::getFile(file.path);
  if (bytes)
    return (*bytes)->getBuffer().str();
  error = "cannot read '" + file.path + "': " + bytes.getError().message();
  return "";
}

bool lathe::linkShared(const std::string &objectPath, const std::string &outputPath, std::string &error) {
  // No build id: everything in the file comes from the object.
  return runLinker({"ld.lld", "-shared", "--threads=1", "--build-id=none", "--eh-frame-hdr", "-z", "now", objectPath.c_str(),
                    "-o", outputPath.c_str()},
                   objectPath, error);
}

std::string lathe::linkShared(llvm::StringRef object, std::string &error) {
  TemporaryFile input(".o"), output(".so");
  if (!input.write(object, error) || !linkShared(input.path, output.path, error))
    return "";
  return bytesOf(output, error);
}

/// Makes hidden symbols local, and then all symbols visible as usual.
static std::string localize(llvm::StringRef object, std::string &error) {
  auto binary = llvm::object::createBinary(llvm::MemoryBufferRef(object, "joined"));
  llvm::objcopy::ConfigManager config;
  config.ELF.LocalizeHidden = true;
  llvm::objcopy::NameMatcher all;
  llvm::cantFail(all.addMatcher(
      llvm::objcopy::NameOrPattern::create("*", llvm::objcopy::MatchStyle::Wildcard, [](llvm::Error error) { return error; })));
  config.ELF.SymbolsToSetVisibility.emplace_back(std::move(all), uint8_t(llvm::ELF::STV_DEFAULT));
  std::string local;
  StringStream out(local);
  llvm::Error problem = binary ? llvm::objcopy::executeObjcopyOnBinary(config, **binary, out) : binary.takeError();
  out.flush();
  if (!problem)
    return local;
  error = "cannot copy the joined object: " + llvm::toString(std::move(problem));
  return "";
}

std::string lathe::joinObjects(llvm::ArrayRef<std::string> objects, std::string &error) {
  std::deque<TemporaryFile> inputs;
  TemporaryFile output(".o");
  llvm::SmallVector<const char *> arguments = {"ld.lld", "-r", "--threads=1", "-o", output.path.c_str()};
  for (const std::string &object : objects) {
    TemporaryFile &input = inputs.emplace_back(".o");
    if (!input.write(object, error))
      return "";
    arguments.push_back(input.path.c_str());
  }
  if (!runLinker(arguments, "parts", error))
    return "";
  std::string joined = bytesOf(output, error);
  return joined.empty() ? "" : localize(joined, error);
}

std::string lathe::makeArchive(llvm::StringRef object, llvm::StringRef member, std::string &error) {
  llvm::NewArchiveMember entry(llvm::MemoryBufferRef(object, member));
  auto archive = llvm::writeArchiveToBuffer(entry, llvm::SymtabWritingMode::NormalSymtab, llvm::object::Archive::K_GNU,
                                            /*Deterministic=*/true, /*Thin=*/false);
  if (archive)
    return (*archive)->getBuffer().str();
  error = llvm::toString(archive.takeError());
  return "";
}
