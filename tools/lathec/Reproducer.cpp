#include "tools/lathec/Reproducer.h"
#include "tools/lathec/Output.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <fmt/format.h>
#include <fmt/ranges.h>

static constexpr const char *kRequest = "lathec: this is a bug in Lathe, not an error in the graph; please report it with ";

std::string writeReproducer(const std::string &graph, const std::vector<std::string> &words) {
  std::string command = fmt::format("lathec {} {}", LATHE_VERSION, fmt::join(words, " "));
  std::string withoutFile = fmt::format("{}the graph and the command line: {}\n", kRequest, command);
  if (graph == "-")
    return withoutFile;
  auto buffer = llvm::MemoryBuffer::getFile(graph);
  if (!buffer)
    return withoutFile;
  llvm::StringRef text = (*buffer)->getBuffer();
  bool isModel = llvm::StringRef(graph).ends_with(".onnx"), isText = !isModel && !text.starts_with("ML\xefR");
  std::string path = llvm::sys::path::stem(graph).str() + "-reproducer." + (isModel ? "onnx" : isText ? "mlir" : "mlirbc");
  std::string content = isText ? fmt::format("// {}\n", command) + text.str() : text.str();
  std::string error = writeWhole({{path, &content}});
  if (!error.empty())
    return fmt::format("lathec: {}\n{}", error, withoutFile);
  return fmt::format("{}{}{}\n", kRequest, path, isText ? "" : " and the command line: " + command);
}
