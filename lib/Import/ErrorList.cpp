#include "lib/Import/ErrorList.h"
#include "lib/Support/SourcePlace.h"
#include "llvm/ADT/STLExtras.h"
#include <map>
#include <set>

using namespace mlir;
using namespace lathe;

bool lathe::repeatsInference(const std::string &message) {
  return StringRef(message).ends_with("failed to infer returned types");
}

ErrorList::ErrorList(MLIRContext &context) : context(context) {
  handler.emplace(&context, [this](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure(); // the next handler reports it
    if (!errors.empty() && errors.back().getLocation() == diagnostic.getLocation() && repeatsInference(diagnostic.str()))
      return success();
    errors.push_back(std::move(diagnostic));
    return success();
  });
}

ErrorList::~ErrorList() {
  handler.reset();
  std::map<std::string, int> files; // numbered by first occurrence
  auto keyOf = [&](Diagnostic &error) {
    SourcePlace place = sourcePlace(error.getLocation());
    return std::tuple(files.try_emplace(place.file, files.size()).first->second, place.line, place.column);
  };
  std::vector<std::pair<std::tuple<int, int, int>, size_t>> order;
  std::set<std::pair<std::tuple<int, int, int>, std::string>> seen;
  for (auto [i, error] : llvm::enumerate(errors))
    if (auto key = keyOf(error); seen.emplace(key, error.str()).second)
      order.emplace_back(key, i);
  llvm::sort(order);
  for (auto [i, each] : llvm::enumerate(order)) {
    Diagnostic &error = errors[each.second];
    if (i + 1 == kMost && order.size() > kMost)
      error.attachNote(error.getLocation()) << order.size() - kMost << " more errors are not shown";
    if (i < kMost)
      context.getDiagEngine().emit(std::move(error));
  }
}
