#include "lib/Compiler/RankTimes.h"
#include "dialects/Lathe/IR/Control.h"
#include "dialects/Lathe/IR/KernelAttributes.h"
#include "lib/Analysis/KernelCost.h"
#include "lib/Support/Explain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;
using namespace lathe;

// ---- The file

static bool readLink(const llvm::json::Object &file, StringRef name, Link &link) {
  const llvm::json::Object *each = file.getObject(name);
  std::optional<double> latency = each ? each->getNumber("latency_us") : std::nullopt;
  std::optional<double> rate = each ? each->getNumber("gb_per_s") : std::nullopt;
  if (!latency || !rate || *latency < 0 || *rate <= 0)
    return false;
  link = {*latency * 1e-6, *rate * 1e9};
  return true;
}

/// Reads an object of positive numbers by name.
template <typename T>
static bool readNumbers(const llvm::json::Object &file, StringRef name, double unit, std::map<std::string, T> &numbers) {
  const llvm::json::Object *all = file.getObject(name);
  for (auto &[key, value] : all ? *all : llvm::json::Object()) {
    std::optional<double> number = value.getAsNumber();
    if (!number || *number <= 0)
      return false;
    numbers[key.str()] = T(*number * unit);
  }
  return all || !file.get(name);
}

std::string lathe::readCluster(const std::string &path, ClusterFile &file) {
  auto text = llvm::MemoryBuffer::getFile(path);
  if (!text)
    return "--cluster: cannot read '" + path + "': " + text.getError().message();
  llvm::Expected<llvm::json::Value> value = llvm::json::parse((*text)->getBuffer());
  if (!value)
    return "--cluster: " + path + ": " + llvm::toString(value.takeError());
  const llvm::json::Object *object = value->getAsObject();
  if (!object)
    return "--cluster: " + path + ": expected an object";
  std::optional<int64_t> ranks = object->getInteger("ranks_per_node");
  if (!ranks || *ranks < 1)
    return "--cluster: " + path + ": expected \"ranks_per_node\", a number of at least 1";
  file.cluster.ranksPerNode = *ranks;
  for (auto [name, link] : {std::pair("inside", &file.cluster.inside), std::pair("between", &file.cluster.between)})
    if (!readLink(*object, name, *link))
      return "--cluster: " + path + ": expected \"" + name + "\": {\"latency_us\": 2, \"gb_per_s\": 10}";
  file.cluster.message = object->getNumber("message_us").value_or(0) * 1e-6;
  if (const llvm::json::Array *list = object->getArray("ranks")) {
    file.ranks.clear();
    for (const llvm::json::Value &each : *list)
      file.ranks.push_back(each.getAsInteger().value_or(0));
  }
  if (llvm::any_of(file.ranks, [](int64_t count) { return count < 1; }))
    return "--cluster: " + path + ": expected \"ranks\", a list of numbers of at least 1";
  if (!readNumbers(*object, "sizes", 1, file.sizes) || !readNumbers(*object, "step_ms", 1e-3, file.stepSeconds))
    return "--cluster: " + path + ": expected positive numbers by name in \"sizes\" and \"step_ms\"";
  return "";
}

// ---- The expected time

namespace {
/// One run of a function: kernels go on while exchanges run, until their results are waited for.
class Timeline {
public:
  Timeline(const Cluster &cluster, Sizes sizes, int64_t ranks, double scale)
      : cluster(cluster), sizes(std::move(sizes)), ranks(ranks), scale(scale) {}

  void run(Block &block) {
    for (Operation &op : block) {
      if (auto kernel = dyn_cast<KernelOp>(op))
        runKernel(kernel);
      else if (isControl(&op))
        runControl(op);
    }
  }

  double clock = 0;     // seconds
  double computed = 0;  // seconds in kernels
  double exchanged = 0; // seconds of exchanges, hidden ones too

private:
  void runKernel(KernelOp kernel) {
    if (CollectiveOpInterface op = collectiveOf(kernel)) {
      double seconds = exchangeSeconds(op, evaluate(op.getAxisSize(), sizes).value_or(ranks), cluster, sizes);
      network = std::max(clock, network) + seconds;
      exchanged += seconds;
      if (op->hasAttr(kStartsAttr))
        ends[kernel.getResult(0)] = network;
      else
        clock = network;
    } else if (waitOf(kernel)) {
      clock = std::max(clock, ends.lookup(kernel.getInputs().front()));
    } else if (isCompiled(kernel)) {
      double seconds = costOf(kernel, sizes).nanoseconds() * 1e-9 * scale;
      clock += seconds;
      computed += seconds;
    }
  }

  /// A scan runs all of its steps, a branch its longest side, and a while loop, whose steps data decide, one step.
  void runControl(Operation &op) {
    auto scan = dyn_cast<ScanOp>(op);
    double steps = scan ? evaluate(scan.getSteps(), sizes).value_or(1) : 1;
    Timeline longest(cluster, sizes, ranks, scale);
    for (Region &region : op.getRegions()) {
      Timeline side(cluster, sizes, ranks, scale);
      side.run(region.front());
      if (side.clock >= longest.clock)
        std::tie(longest.clock, longest.computed, longest.exchanged) = std::tie(side.clock, side.computed, side.exchanged);
    }
    clock += steps * longest.clock;
    computed += steps * longest.computed;
    exchanged += steps * longest.exchanged;
  }

  const Cluster &cluster;
  Sizes sizes;
  int64_t ranks;
  double scale;       // of the kernels' estimated times
  double network = 0; // when the last exchange ends
  DenseMap<Value, double> ends;
};
} // namespace

static void explainFunction(func::FuncOp function, StringRef axis, const ClusterFile &file) {
  std::string name = function.getSymName().str();
  Sizes sizes = file.sizes;
  sizes[axis.str()] = 1;
  Timeline one(Cluster(), sizes, 1, 1);
  one.run(function.front());
  auto measured = file.stepSeconds.find(name);
  bool isMeasured = measured != file.stepSeconds.end();
  double scale = isMeasured && one.computed > 0 ? measured->second / one.computed : 1;
  for (int64_t ranks : file.ranks) {
    sizes[axis.str()] = ranks;
    Timeline all(file.cluster, sizes, ranks, scale);
    all.run(function.front());
    explain(
        function.getLoc(), "ranks",
        "@{}: on {} ranks of '{}' {:.3g} ms are expected: {:.3g} of kernels ({}), and {:.3g} in which only values travel, of "
        "{:.3g} that exchanges take; {:.0f} % of {} times the speed of one rank",
        name, ranks, axis.str(), 1e3 * all.clock, 1e3 * all.computed, isMeasured ? "measured" : "estimated",
        1e3 * (all.clock - all.computed), 1e3 * all.exchanged, 100 * all.computed / all.clock, ranks);
  }
}

void lathe::explainRankTimes(ModuleOp module, const ClusterFile &file) {
  for (auto function : module.getOps<func::FuncOp>()) {
    CollectiveOpInterface first;
    function.walk([&](CollectiveOpInterface op) {
      if (!first && !isa<AxisIndexOp>(*op))
        first = op;
    });
    if (first && !function.isPrivate())
      explainFunction(function, first.getAxis(), file);
  }
}
