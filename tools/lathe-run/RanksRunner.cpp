// Runs an entry on several ranks in this process: each has a context, state and workspace of its own, and all share the object.
#include "tools/lathe-run/CompiledRunner.h"
#include "tools/lathe-run/Stacks.h"
#include <thread>

using namespace lathe;

namespace {
class RanksRunner : public Runner {
public:
  ~RanksRunner() override {
    for (lathe_comm *comm : comms)
      lathe_comm_destroy(comm);
  }

  std::optional<Failure> load(const RunOptions &options);
  const Signature &getSignature() const override { return signature; }
  std::optional<Failure> select(const std::string &function) override;
  std::vector<std::string> getVariables() const override { return ranks.front()->getVariables(); }
  Tensor getVariable(const std::string &name) const override;
  void setVariable(const std::string &name, const Tensor &value) override;
  void setPrints(bool prints) override {
    for (auto &rank : ranks)
      rank->setPrints(prints);
  }
  size_t workspaceOfLastCall() const override {
    size_t largest = 0;
    for (auto &rank : ranks)
      largest = std::max(largest, rank->workspaceOfLastCall());
    return largest;
  }
  Expected<Tensors> runEntry(const Tensors &inputs, Tensors) override;

private:
  /// Does something on all ranks at the same time. Returns the failure of the first rank that has one.
  std::optional<Failure> onAll(llvm::function_ref<std::optional<Failure>(size_t rank)> act);

  std::vector<lathe_comm *> comms; // they end after the contexts that use them
  std::vector<std::unique_ptr<CompiledRunner>> ranks;
  Signature signature;
};
} // namespace

/// The time after which a rank stops waiting for another one.
static constexpr double kTimeoutSeconds = 60;

std::optional<Failure> RanksRunner::onAll(llvm::function_ref<std::optional<Failure>(size_t rank)> act) {
  std::vector<std::optional<Failure>> failures(ranks.size());
  std::vector<std::thread> threads;
  for (size_t rank = 0; rank < ranks.size(); ++rank)
    threads.emplace_back([&, rank] { failures[rank] = act(rank); });
  for (std::thread &thread : threads)
    thread.join();
  for (auto [rank, failure] : llvm::enumerate(failures))
    if (failure) {
      failure->reason += " (rank " + std::to_string(rank) + ")";
      return failure;
    }
  return std::nullopt;
}

std::optional<Failure> RanksRunner::load(const RunOptions &options) {
  std::vector<lathe_axis> axes;
  for (const RankAxis &axis : options.ranks)
    axes.push_back({axis.name.c_str(), axis.size, 0});
  std::vector<lathe_comm *> made(countRanks(options.ranks));
  lathe_error error = {};
  if (lathe_comm_create_local(axes.data(), axes.size(), kTimeoutSeconds, made.data(), &error) != LATHE_OK)
    return failureOf(error);
  comms = made;
  for (lathe_comm *comm : comms) {
    ranks.push_back(std::make_unique<CompiledRunner>());
    if (std::optional<Failure> failure = ranks.back()->loadRank(options, ranks.front().get(), comm))
      return failure;
  }
  if (std::optional<Failure> failure = select(options.function))
    return failure;
  return onAll([&](size_t rank) { return ranks[rank]->initialise(options.seed); });
}

std::optional<Failure> RanksRunner::select(const std::string &function) {
  for (auto &rank : ranks)
    if (std::optional<Failure> failure = rank->select(function))
      return failure;
  const Signature &one = ranks.front()->getSignature();
  signature = {one.function, stackedParameters(one.inputs, ranks.size()), stackedParameters(one.results, ranks.size())};
  return std::nullopt;
}

Tensor RanksRunner::getVariable(const std::string &name) const {
  Tensors values;
  for (auto &rank : ranks)
    values.push_back(rank->getVariable(name));
  return std::get<Tensor>(stack(name, values)); // a variable has one shape
}

void RanksRunner::setVariable(const std::string &name, const Tensor &value) {
  for (auto [rank, runner] : llvm::enumerate(ranks))
    runner->setVariable(name, partsOf({value}, rank).front());
}

Expected<Tensors> RanksRunner::runEntry(const Tensors &inputs, Tensors) {
  std::vector<Tensors> results(ranks.size());
  std::optional<Failure> failure = onAll([&](size_t rank) -> std::optional<Failure> {
    Expected<Tensors> outcome = ranks[rank]->run(partsOf(inputs, rank));
    if (auto *failure = std::get_if<Failure>(&outcome))
      return *failure;
    results[rank] = std::get<Tensors>(std::move(outcome));
    return std::nullopt;
  });
  if (failure)
    return *failure;
  return stackAll(signature.results, results);
}

Expected<std::unique_ptr<Runner>> createRanksRunner(const RunOptions &options) {
  auto runner = std::make_unique<RanksRunner>();
  if (std::optional<Failure> failure = runner->load(options))
    return *failure;
  return std::unique_ptr<Runner>(std::move(runner));
}
