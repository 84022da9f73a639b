// A job of ranks in one process: each runs on a thread, and they meet at each collective.
#include "dialects/Lathe/Interpreter/Ranks.h"
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace mlir;
using namespace lathe;

namespace {
/// Holds the values of an exchange until all ranks of it have come: those that differ only in their index along one axis.
struct Meeting {
  std::vector<const Tensor *> values; // by index; null: has not come yet
  std::vector<Operation *> ops;
  size_t arrived = 0, leaving = 0;
};

class Job {
public:
  explicit Job(ArrayRef<RankAxis> axes) : axes(axes) {
    for (const RankAxis &axis : axes)
      size *= axis.size;
    ended.resize(size);
  }

  /// Returns the index of a rank along an axis.
  int64_t indexOn(unsigned axis, int64_t rank) const {
    for (const RankAxis &later : axes.drop_front(axis + 1))
      rank /= later.size;
    return rank % axes[axis].size;
  }

  FailureOr<std::vector<Tensor>> exchange(Operation *op, unsigned axis, int64_t rank, const Tensor &mine) {
    int64_t stride = 1, index = indexOn(axis, rank), ranks = axes[axis].size;
    for (const RankAxis &later : axes.drop_front(axis + 1))
      stride *= later.size;
    int64_t first = rank - index * stride;
    std::unique_lock lock(mutex);
    Meeting &meeting = meetings[{axis, first}];
    meeting.values.resize(ranks);
    meeting.ops.resize(ranks);
    changed.wait(lock, [&] { return meeting.leaving == 0; }); // the last exchange is over
    meeting.values[index] = &mine;
    meeting.ops[index] = op;
    if (++meeting.arrived == size_t(ranks))
      meeting.leaving = ranks;
    changed.notify_all();
    // A rank that has ended, or left a broken exchange, does not come.
    auto absent = [&]() -> std::optional<int64_t> {
      for (int64_t i = 0; i < ranks; ++i)
        if (!meeting.values[i] && ended[first + i * stride])
          return i;
      return std::nullopt;
    };
    changed.wait(lock, [&] { return meeting.leaving || absent(); });
    if (!meeting.leaving)
      return op->emitError("rank ") << *absent() << " of axis '" << axes[axis].name << "' does not come to this op", failure();
    for (auto [other, at] : llvm::enumerate(meeting.ops))
      if (at != op)
        return leave(meeting), op->emitError("rank ") << other << " of axis '" << axes[axis].name << "' is at another op",
               failure();
    std::vector<Tensor> values;
    for (const Tensor *value : meeting.values)
      values.push_back(*value);
    leave(meeting);
    // The values belong to their ranks, so nobody goes on before all have copied them.
    changed.wait(lock, [&] { return meeting.leaving == 0; });
    return values;
  }

  void end(int64_t rank) {
    std::lock_guard lock(mutex);
    ended[rank] = true;
    changed.notify_all();
  }

  ArrayRef<RankAxis> axes;
  int64_t size = 1;

private:
  void leave(Meeting &meeting) {
    if (--meeting.leaving)
      return;
    meeting = Meeting();
    changed.notify_all();
  }

  std::mutex mutex;
  std::condition_variable changed;
  std::vector<bool> ended;                                  // by rank
  std::map<std::pair<unsigned, int64_t>, Meeting> meetings; // by axis and first rank
};

class RankOfJob : public Ranks {
public:
  RankOfJob(Job &job, int64_t rank) : job(job), rank(rank) {}
  ~RankOfJob() override { job.end(rank); }
  ArrayRef<RankAxis> getAxes() const override { return job.axes; }
  int64_t indexOn(unsigned axis) const override { return job.indexOn(axis, rank); }
  FailureOr<std::vector<Tensor>> exchange(Operation *op, unsigned axis, const Tensor &mine) override {
    return job.exchange(op, axis, rank, mine);
  }

private:
  Job &job;
  int64_t rank;
};
} // namespace

FailureOr<std::vector<std::vector<Tensor>>> lathe::interpretOnRanks(func::FuncOp function, ArrayRef<RankAxis> axes,
                                                                    ArrayRef<std::vector<Tensor>> arguments,
                                                                    const InterpretOptions &options) {
  return interpretOnRanks(function, axes, arguments, [&](int64_t) { return options; });
}

FailureOr<std::vector<std::vector<Tensor>>>
lathe::interpretOnRanks(func::FuncOp function, ArrayRef<RankAxis> axes, ArrayRef<std::vector<Tensor>> arguments,
                        llvm::function_ref<InterpretOptions(int64_t rank)> optionsOf) {
  Job job(axes);
  std::vector<FailureOr<std::vector<Tensor>>> results(job.size, failure());
  std::vector<std::thread> threads;
  for (int64_t rank = 0; rank < job.size; ++rank)
    threads.emplace_back([&, rank, own = optionsOf(rank)]() mutable {
      RankOfJob self(job, rank);
      own.ranks = &self;
      results[rank] = interpret(function, arguments[rank], own);
    });
  for (std::thread &thread : threads)
    thread.join();
  std::vector<std::vector<Tensor>> all;
  for (auto &result : results) {
    if (failed(result))
      return failure();
    all.push_back(std::move(*result));
  }
  return all;
}
