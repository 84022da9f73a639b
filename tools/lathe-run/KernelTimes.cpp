#include "tools/lathe-run/KernelTimes.h"
#include <chrono>

using Clock = std::chrono::steady_clock;

namespace {
// The hook has no other place for them: the context's user pointer belongs to applications.
std::vector<KernelCall> calls;
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
} // namespace

Expected<TimedRun> timeKernels(Runner &runner, const Tensors &inputs, Tensors earlier) {
  lathe_context *context = runner.getContext();
  if (!context)
    return Failure{kWrongUsage, "kernels can be timed in compiled code only"};
  calls.clear();
  runStarted = Clock::now();
  context->profile = note;
  Expected<Tensors> results = runner.run(inputs, std::move(earlier));
  context->profile = nullptr;
  if (auto *failure = std::get_if<Failure>(&results))
    return *failure;
  return TimedRun{std::move(calls), std::get<Tensors>(std::move(results))};
}
