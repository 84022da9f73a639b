#include "lib/Analysis/StepOrder.h"
#include "test/unit/Analysis/Graph.h"
#include "llvm/Support/FormatVariadic.h"
#include <random>
#include <set>

using namespace mlir;
using namespace lathe;

/// Returns a function of kernels, each of which makes a value of random size from one or two earlier ones. `more` kernels of
/// one element each come last, so that the block is too long for the exact search and needs 64 bytes more at most for each.
static std::string randomKernels(unsigned seed, unsigned count, unsigned more) {
  std::minstd_rand random(seed);
  std::string text = "func.func @f(%x: tensor<16xf32>) -> tensor<f32> {\n";
  std::vector<std::pair<std::string, std::string>> values{{"%x", "tensor<16xf32>"}}; // and their types
  std::set<std::string> unread;
  for (unsigned i = 0; i < count + more; ++i) {
    std::string type = i < count ? llvm::formatv("tensor<{0}xf32>", 16 * (1 + random() % 64)).str() : "tensor<1xf32>";
    std::string inputs;
    for (unsigned k = 0, reads = 1 + random() % 2; k < reads; ++k) {
      auto &[name, its] = values[i < count ? random() % values.size() : 0];
      inputs += llvm::formatv("{0}%a{1} = {2} : {3}", k ? ", " : "", k, name, its);
      unread.erase(name);
    }
    text += llvm::formatv(
        "  %v{0} = lathe.kernel({1}) -> {2} {{\n    %c = lathe.constant dense<0.0> : {2}\n    lathe.yield %c : {2}\n  }\n", i,
        inputs, type);
    if (i < count) {
      values.push_back({llvm::formatv("%v{0}", i), type});
      unread.insert(values.back().first);
    }
  }
  std::string last;
  for (auto &[name, type] : values)
    if (unread.count(name))
      last += llvm::formatv("{0}%a{1} = {2} : {3}", last.empty() ? "" : ", ", name.substr(2), name, type);
  text += llvm::formatv("  %end = lathe.kernel({0}) -> tensor<f32> {{\n    %c = lathe.constant dense<0.0> : tensor<f32>\n"
                        "    lathe.yield %c : tensor<f32>\n  }\n  return %end : tensor<f32>\n}",
                        last);
  return text;
}

static unsigned atBound = 0; // orders whose peak is the bound

/// Returns the peak of the order that the search finds, after a check that it keeps all dependencies.
static int64_t peakFor(unsigned seed, unsigned more, size_t effort) {
  analysistest::Graph graph(randomKernels(seed, /*count=*/10, more));
  Positions positions;
  positions.number(graph.block());
  BlockMemory memory(graph.block(), {}, positions);
  BlockMemory::Order order = findOrder(memory, effort);
  std::set<unsigned> done;
  bool keeps = order.size() == memory.size();
  for (unsigned step : order) {
    for (unsigned earlier : memory.getSteps()[step].after)
      keeps &= done.count(earlier) != 0;
    done.insert(step);
  }
  analysistest::expect(keeps && done.size() == memory.size(), "an order has each step once, behind those that it needs");
  int64_t peak = memory.peak(order), bound = leastPeak(memory);
  analysistest::expect(bound <= peak, "no order has a lower peak than the bound");
  atBound += peak == bound;
  return peak;
}

void analysistest::testStepOrder() {
  constexpr unsigned kMore = 4;
  int64_t slack = 64 * kMore;
  unsigned near = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    int64_t best = peakFor(seed, 0, 1); // few enough kernels for the exact search
    int64_t found = peakFor(seed, kMore, 1), longer = peakFor(seed, kMore, 4);
    expect(best <= found, "no order is better than the best one");
    expect(longer <= found, "a longer search is no worse");
    expect(longer <= best + slack, "a longer search finds the best order of few kernels");
    near += found <= best + best / 20 + slack;
  }
  expect(atBound >= 20, "the bound is the lowest peak of some blocks");
  expect(near >= 38, "the search is within 5 % of the best order nearly always");
}
