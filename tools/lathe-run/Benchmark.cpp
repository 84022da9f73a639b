#include "tools/lathe-run/Benchmark.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <chrono>
#include <cstdio>

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// Writes an object to a file.
static std::optional<Failure> writeJson(const std::string &path, llvm::json::Object object) {
  std::error_code problem;
  llvm::raw_fd_ostream out(path, problem);
  if (problem)
    return Failure{kWrongUsage, "--benchmark-output: cannot write '" + path + "': " + problem.message()};
  out << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
  return std::nullopt;
}

std::optional<Failure> benchmark(Runner &runner, const Tensors &inputs, double seconds, const std::string &output) {
  std::vector<double> times;
  Tensors last;
  Clock::time_point begin = Clock::now();
  for (int warm = 3; times.empty() || secondsSince(begin) < seconds; --warm) {
    Clock::time_point start = Clock::now();
    Expected<Tensors> results = runner.run(inputs, std::move(last));
    double time = secondsSince(start);
    if (auto *failure = std::get_if<Failure>(&results))
      return *failure;
    last = std::get<Tensors>(std::move(results));
    runner.setPrints(false); // they have been shown
    if (warm == 0)
      begin = Clock::now();
    if (warm <= 0)
      times.push_back(time);
  }
  std::sort(times.begin(), times.end());
  auto at = [&](double share) { return times[std::min(times.size() - 1, size_t(share * times.size()))]; };
  std::string function = runner.getSignature().function;
  std::printf("%s: min %.4f ms, median %.4f ms, p99 %.4f ms, %.1f runs/s (%zu runs)\n", function.c_str(), at(0) * 1e3,
              at(0.5) * 1e3, at(0.99) * 1e3, 1 / at(0.5), times.size());
  if (output.empty())
    return std::nullopt;
  llvm::json::Object object{{"function", function}, {"min", at(0)}, {"median", at(0.5)}, {"p99", at(0.99)}};
  object["runs"] = int64_t(times.size());
  return writeJson(output, std::move(object));
}
