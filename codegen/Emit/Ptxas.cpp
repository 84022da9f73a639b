#include "codegen/Emit/Ptxas.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

using namespace lathe;

std::string lathe::findPtxas(llvm::StringRef wish) {
  if (wish == "none")
    return "";
  if (wish != "auto")
    return wish.str();
  if (const char *named = std::getenv("LATHE_PTXAS"); named && *named)
    return named;
  llvm::SmallVector<std::string> folders;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const char *folder = std::getenv(variable); folder && *folder)
      folders.push_back(std::string(folder) + "/bin");
  auto findIn = [](llvm::ArrayRef<llvm::StringRef> places) { return llvm::sys::findProgramByName("ptxas", places); };
  llvm::SmallVector<llvm::StringRef> toolkits(folders.begin(), folders.end());
  llvm::ErrorOr<std::string> found = std::make_error_code(std::errc::no_such_file_or_directory);
  if (!toolkits.empty())
    found = findIn(toolkits);
  if (!found)
    found = findIn({}); // in $PATH
  if (!found)
    found = findIn({"/usr/local/cuda/bin"});
  return found ? *found : "";
}

namespace {
/// A temporary file that is removed at the end of the scope.
struct TemporaryFile {
  explicit TemporaryFile(llvm::StringRef suffix) { problem = llvm::sys::fs::createTemporaryFile("lathe", suffix, path); }
  ~TemporaryFile() { llvm::sys::fs::remove(path); }
  TemporaryFile(const TemporaryFile &) = delete;

  std::string text() const {
    auto buffer = llvm::MemoryBuffer::getFile(path);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  llvm::SmallString<128> path;
  std::error_code problem;
};
} // namespace

std::string lathe::assemblePtx(llvm::StringRef ptxas, llvm::StringRef ptx, const gpu::Target &target, unsigned optLevel,
                               std::string &error) {
  TemporaryFile input("ptx"), output("cubin"), messages("txt");
  for (const TemporaryFile *file : {&input, &output, &messages})
    if (file->problem)
      return error = "cannot create a temporary file: " + file->problem.message(), "";
  std::error_code problem;
  llvm::raw_fd_ostream out(input.path, problem);
  out << ptx;
  out.close();
  if (problem || out.has_error()) {
    out.clear_error();
    return error = "cannot write a temporary file", "";
  }
  std::string level = "-O" + std::to_string(optLevel), architecture = "-arch=" + target.name();
  llvm::StringRef arguments[] = {ptxas, architecture, level, "-lineinfo", input.path, "-o", output.path};
  std::optional<llvm::StringRef> streams[] = {"", messages.path.str(), messages.path.str()};
  int status = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt, streams, 0, 0, &error);
  if (status == 0)
    return output.text();
  std::string told = llvm::StringRef(messages.text()).trim().str();
  error = "ptxas fails: " + (told.empty() ? error : told);
  return "";
}
