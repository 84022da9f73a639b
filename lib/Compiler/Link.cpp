#include "lib/Compiler/Link.h"
#include "lld/Common/Driver.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
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

bool lathe::linkShared(const std::string &objectPath, const std::string &outputPath, std::string &error) {
  llvm::CrashRecoveryContext::Enable();
  // No build id: everything in the file comes from the object.
  const char *arguments[] = {"ld.lld", "-shared",          "--threads=1", "--build-id=none", "--eh-frame-hdr", "-z",
                             "now",    objectPath.c_str(), "-o",          outputPath.c_str()};
  std::string text;
  llvm::raw_string_ostream messages(text);
  lld::Result result = lld::lldMain(arguments, messages, messages, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode == 0)
    return true;
  error = "cannot link '" + objectPath + "': " + text;
  return false;
}

std::string lathe::linkShared(llvm::StringRef object, std::string &error) {
  TemporaryFile input(".o"), output(".so");
  if (!input.write(object, error) || !linkShared(input.path, output.path, error))
    return "";
  auto linked = llvm::MemoryBuffer::getFile(output.path);
  if (linked)
    return (*linked)->getBuffer().str();
  error = "cannot read '" + output.path + "': " + linked.getError().message();
  return "";
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
