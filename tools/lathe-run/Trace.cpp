#include "tools/lathe-run/Trace.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "lathe/runtime.h"
#include "lib/Import/Names.h"
#include "lib/Support/SourcePlace.h"
#include "tools/lathe-run/Npy.h"
#include "tools/lathe-run/Report.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <cstdio>
#include <fmt/format.h>
#include <fmt/ranges.h>

using namespace lathe;

static std::string fileOf(const std::string &graph) {
  return graph == "-" ? "stdin.mlir" : llvm::sys::path::filename(graph).str();
}

std::function<void(mlir::Operation *, const Tensor &, const Tensor *)> printHook(const std::string &graph) {
  return [file = fileOf(graph)](mlir::Operation *op, const Tensor &value, const Tensor *mask) {
    std::string text = mlir::cast<PrintOp>(op).getText().value_or("").str();
    lathe_print_info info = {};
    info.text = text.empty() ? nullptr : text.c_str();
    info.file = file.c_str();
    info.line = sourcePlace(op->getLoc()).line;
    info.dtype = lathe_dtype(value.getElement()); // same numbers
    info.rank = value.getRank();
    info.mask_rank = mask ? mask->getRank() : 0;
    lathe_print(nullptr, &info, value.getShape().data(), value.data<char>(), mask ? mask->data<uint8_t>() : nullptr);
  };
}

namespace {
class Trace {
public:
  Trace(const RunOptions &options, TraceOutcome &outcome)
      : file(fileOf(options.graph)), wanted(*options.trace), folder(options.traceFolder), outcome(outcome) {
    outcome.unseen = wanted;
  }

  void operator()(mlir::Value value, const Tensor &tensor, llvm::ArrayRef<int64_t> steps) {
    mlir::Operation *op = value.getDefiningOp();
    SourcePlace at = sourcePlace(value.getLoc());
    std::string name = locationName(value);
    // Consts are traced outside the region, carries by the loop's condition.
    bool isOfGraph = op ? isOfLocation(op) && !mlir::isa<ConstantOp>(op) : !name.empty() && !isOfBody(value);
    if (!isOfGraph || !isWanted(name, at))
      return;
    llvm::erase_if(outcome.unseen, [&](const std::string &each) { return isNamed(each, name, at); });
    if (!folder.empty())
      return store(fmt::format("{}-{}", at.line, fileNameOf(name)), tensor, steps);
    std::string place = steps.empty() ? "" : fmt::format(" step {}", fmt::join(steps, ", "));
    std::string maker = op ? " (" + op->getName().getStringRef().str() + ")" : "";
    if (!at.node.empty() && at.node != name)
      maker = " of '" + at.node + "'" + maker;
    const std::string &where = at.file.empty() ? file : at.file; // of a model that the graph calls
    std::printf("%s\n", describe(fmt::format("{}:{}:{} {}{}", where, at.line, place, name, maker), tensor).c_str());
  }

private:
  static bool isOfBody(mlir::Value argument) {
    auto loop = mlir::dyn_cast<WhileOp>(argument.getParentRegion()->getParentOp());
    return loop && argument.getParentRegion() == &loop.getBody();
  }

  /// True if a text of --trace is the value's name, its line, or the model's node whose output it is.
  static bool isNamed(const std::string &text, const std::string &name, const SourcePlace &at) {
    return text == name || text == std::to_string(at.line) || (!at.node.empty() && text == at.node);
  }

  bool isWanted(const std::string &name, const SourcePlace &at) const {
    return wanted.empty() || llvm::any_of(wanted, [&](const std::string &text) { return isNamed(text, name, at); });
  }

  /// Returns the name with letters that are valid in file names; values of models may have any.
  static std::string fileNameOf(std::string name) {
    std::replace(name.begin(), name.end(), '/', '_');
    return name;
  }

  /// Stores a value. A derivative's values have the places of the original ones: each after the first gets a number.
  void store(std::string stem, const Tensor &tensor, llvm::ArrayRef<int64_t> steps) {
    for (int64_t step : steps)
      stem += fmt::format("-{}", step);
    if (unsigned before = stored[stem]++)
      stem += fmt::format(".{}", before + 1);
    if (std::error_code problem = llvm::sys::fs::create_directories(folder))
      outcome.error = folder + ": " + problem.message();
    else if (std::string reason = writeNpy(folder + "/" + stem + ".npy", tensor); !reason.empty())
      outcome.error = reason;
  }

  std::string file;
  std::vector<std::string> wanted; // all if empty
  std::string folder;
  TraceOutcome &outcome;
  std::map<std::string, unsigned> stored;
};
} // namespace

std::function<void(mlir::Value, const Tensor &, llvm::ArrayRef<int64_t>)> traceHook(const RunOptions &options,
                                                                                    TraceOutcome &outcome) {
  return Trace(options, outcome);
}

std::string TraceOutcome::fault() const {
  if (!error.empty() || unseen.empty())
    return error;
  return fmt::format("--trace: this run computed no value with the name or line '{}'", fmt::join(unseen, "', '"));
}
