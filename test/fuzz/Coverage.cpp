// Checks that random graphs contain every op of the dialect.
#include "test/fuzz/Coverage.h"
#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/MLIRContext.h"
#include "test/fuzz/Graph.h"
#include <cstdio>
#include <set>

using namespace mlir;
using namespace lathe;

/// Ops that no graph has, and why not.
static const std::map<std::string, std::string> &notDrawn() {
  static const std::string made = "made by fusion and kernel lowering, which every graph goes through";
  static const std::string strips = "made of a product's rows in another product; test/codegen/CPU/Strips has it";
  static const std::string theirs = "needs a C function, which test/e2e/extern has";
  static const std::string rules = "made of functions with rules of their own, which test/unit/Autodiff has";
  static const std::string silent = "has no value to compare; test/object/reports and checks have it";
  static const std::string sizes =
      "its result is shorter than its type says, which graphs do not look at; test/passes/DataSizes has it";
  static const std::map<std::string, std::string> list = {{"lathe.collective_wait", made},
                                                          {"lathe.extern", theirs},
                                                          {"lathe.extern_tangent", theirs},
                                                          {"lathe.call_tangent", rules},
                                                          {"lathe.kernel", made},
                                                          {"lathe.scratch", made},
                                                          {"lathe.nest", made},
                                                          {"lathe.index", made},
                                                          {"lathe.extent", made},
                                                          {"lathe.element", made},
                                                          {"lathe.apply", made},
                                                          {"lathe.assert", silent},
                                                          {"lathe.print", silent},
                                                          {"lathe.check", silent},
                                                          {"lathe.strips", strips},
                                                          {"lathe.set_dim_size", sizes}};
  return list;
}

/// The ops that a graph's text names.
static std::set<std::string> opsOf(StringRef text) {
  std::set<std::string> ops;
  for (size_t at = text.find("lathe."); at != StringRef::npos; at = text.find("lathe.", at + 1))
    ops.insert(
        text.substr(at).take_while([](char c) { return llvm::isLower(c) || llvm::isDigit(c) || c == '_' || c == '.'; }).str());
  return ops;
}

int fuzz::checkCoverage(uint64_t seed, int64_t graphs, int64_t smoothPercent) {
  std::map<std::string, int64_t> drawn;
  for (int64_t i = 0; i < graphs; ++i) {
    std::vector<Mesh> meshes = i % 8 == 0 ? drawMeshes(seed + i) : std::vector<Mesh>();
    std::string text = drawGraph(seed + i, {i % 100 < smoothPercent, "", 0, meshes}).text("f");
    for (const std::string &name : opsOf(text))
      ++drawn[name.starts_with("lathe.std.") ? "lathe.std" : name];
  }
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.loadDialect<LatheDialect>();
  int missing = 0, known = 0;
  for (RegisteredOperationName registered : context.getRegisteredOperationsByDialect("lathe")) {
    std::string name = registered.getStringRef().str();
    bool listed = notDrawn().count(name);
    ++known;
    if (drawn[name] && !listed)
      std::printf("%s: %lld\n", name.c_str(), (long long)drawn[name]);
    else if (drawn[name])
      ++missing, std::printf("%s: drawn, but listed in Coverage.cpp as not drawn\n", name.c_str());
    else if (!listed)
      ++missing, std::printf("%s: in none of %lld graphs; draw it in test/fuzz/Draw*.cpp, or list it in Coverage.cpp with the "
                             "reason\n",
                             name.c_str(), (long long)graphs);
  }
  std::printf("%d ops of the dialect, %zu not drawn for a reason, %d missing\n", known, notDrawn().size(), missing);
  return missing != 0;
}
