#include "tools/lathe-run/KernelTimes.h"
#include <chrono>
#include <mutex>
#include <thread>

using Clock = std::chrono::steady_clock;

namespace {
// The hooks have no other place for them: the context's user pointer belongs to applications.
std::vector<KernelCall> calls;
std::vector<KernelPiece> pieces;
std::vector<std::thread::id> threads; // the calling thread first
std::mutex lock;                      // of `pieces` and `threads`
lathe_parallel_for share;
Clock::time_point runStarted, started;

double secondsBetween(Clock::time_point first, Clock::time_point last) {
  return std::chrono::duration<double>(last - first).count();
}

void note(lathe_context *, const lathe_kernel_info *kernel, int32_t begins) {
  if (begins)
    started = Clock::now();
  else
    calls.push_back({kernel, secondsBetween(runStarted, started), secondsBetween(started, Clock::now())});
}

struct TimedBody {
  lathe_body body;
  void *closure;
};

/// Runs a piece of a parallel loop and notes its thread and time.
void runPiece(void *closure, int64_t slot, int64_t begin, int64_t end) {
  auto *timed = static_cast<TimedBody *>(closure);
  Clock::time_point first = Clock::now();
  timed->body(timed->closure, slot, begin, end);
  Clock::time_point last = Clock::now();
  std::lock_guard<std::mutex> guard(lock);
  auto known = std::find(threads.begin(), threads.end(), std::this_thread::get_id());
  unsigned thread = known - threads.begin();
  if (known == threads.end())
    threads.push_back(std::this_thread::get_id());
  pieces.push_back({unsigned(calls.size()), thread, secondsBetween(runStarted, first), secondsBetween(first, last)});
}

/// The context's parallel_for with timed pieces.
void shareTimed(lathe_context *context, lathe_body body, void *closure, int64_t count, int64_t grain, int64_t slots) {
  TimedBody timed{body, closure};
  share(context, runPiece, &timed, count, grain, slots);
}
} // namespace

Expected<TimedRun> timeKernels(Runner &runner, const Tensors &inputs, Tensors earlier, bool byThread) {
  lathe_context *context = runner.getContext();
  if (!context)
    return Failure{kWrongUsage, "kernels can be timed in compiled code only"};
  calls.clear();
  pieces.clear();
  threads.assign(1, std::this_thread::get_id());
  share = context->parallel_for;
  if (byThread)
    context->parallel_for = shareTimed;
  runStarted = Clock::now();
  context->profile = note;
  Expected<Tensors> results = runner.run(inputs, std::move(earlier));
  context->profile = nullptr;
  context->parallel_for = share;
  if (auto *failure = std::get_if<Failure>(&results))
    return *failure;
  return TimedRun{std::move(calls), std::move(pieces), std::get<Tensors>(std::move(results))};
}
