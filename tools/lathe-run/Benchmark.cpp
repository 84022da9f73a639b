#include "tools/lathe-run/Benchmark.h"
#include "tools/lathe-run/KernelTimes.h"
#include "llvm/ADT/STLExtras.h"
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

namespace {
struct Row {
  const lathe_kernel_info *kernel;
  double seconds;
  int calls; // more than one in a loop
};
} // namespace

/// Writes the calls in the Trace Event Format, with times in microseconds.
static std::optional<Failure> writeTrace(const std::string &path, const std::string &function,
                                         llvm::ArrayRef<KernelCall> calls) {
  std::error_code problem;
  llvm::raw_fd_ostream out(path, problem);
  if (problem)
    return Failure{kWrongUsage, "--profile: cannot write '" + path + "': " + problem.message()};
  llvm::json::OStream json(out);
  auto write = [&](const KernelCall &call) {
    const lathe_kernel_info &kernel = *call.kernel;
    json.attribute("name", kernel.node ? llvm::StringRef(kernel.node) : llvm::StringRef(kernel.op));
    json.attribute("cat", "kernel");
    json.attribute("ph", "X");
    json.attribute("ts", call.begin * 1e6);
    json.attribute("dur", call.seconds * 1e6);
    json.attribute("pid", 1);
    json.attribute("tid", 1);
    json.attributeObject("args", [&] {
      json.attribute("op", kernel.op);
      json.attribute("fused", kernel.fused ? kernel.fused : "");
      json.attribute("file", kernel.file);
      json.attribute("line", kernel.line);
      json.attribute("kernel", kernel.name);
    });
  };
  json.object([&] {
    json.attribute("displayTimeUnit", "ms");
    json.attributeArray("traceEvents", [&] {
      json.object([&] { // the viewer's name for the process
        json.attribute("name", "process_name");
        json.attribute("ph", "M");
        json.attribute("pid", 1);
        json.attributeObject("args", [&] { json.attribute("name", function); });
      });
      for (const KernelCall &call : calls)
        json.object([&] { write(call); });
    });
  });
  out.close();
  if (!out.has_error())
    return std::nullopt;
  problem = out.error();
  out.clear_error(); // the caller reports the error; left in place it would end the process
  return Failure{kWrongUsage, "--profile: cannot write '" + path + "': " + problem.message()};
}

/// Returns the calls by kernel, in the order of first calls.
static std::vector<Row> rowsOf(llvm::ArrayRef<KernelCall> calls) {
  std::vector<Row> rows;
  for (const KernelCall &call : calls) {
    auto known = llvm::find_if(rows, [&](const Row &row) { return row.kernel == call.kernel; });
    if (known == rows.end())
      known = rows.insert(rows.end(), {call.kernel, 0, 0});
    known->seconds += call.seconds;
    ++known->calls;
  }
  return rows;
}

std::optional<Failure> profile(Runner &runner, const Tensors &inputs, const std::string &trace) {
  if (!runner.getContext())
    return Failure{kWrongUsage, "--profile needs compiled code"};
  Expected<TimedRun> run = timeKernels(runner, inputs, {}); // the first run pays for untouched memory
  runner.setPrints(false);
  if (auto *first = std::get_if<TimedRun>(&run))
    run = timeKernels(runner, inputs, std::move(first->results));
  if (auto *failure = std::get_if<Failure>(&run))
    return *failure;
  const std::vector<KernelCall> &calls = std::get<TimedRun>(run).calls;
  std::vector<Row> rows = rowsOf(calls);
  double total = 0;
  for (const Row &row : rows)
    total += row.seconds;
  bool hasFiles = llvm::any_of(rows, [&](const Row &row) { return llvm::StringRef(row.kernel->file) != rows[0].kernel->file; });
  std::printf("%7s %10s %5s  %-24s %s\n", "share", "us", "line", "op", "fused with");
  for (const Row &row : rows) {
    std::printf("%6.1f%% %10.1f %5d  %-24s %s", 100 * row.seconds / total, row.seconds * 1e6, row.kernel->line, row.kernel->op,
                row.kernel->fused ? row.kernel->fused : "");
    const char *apart = row.kernel->fused ? " " : "";
    if (row.kernel->node)
      std::printf("%s'%s'", std::exchange(apart, " "), row.kernel->node);
    if (hasFiles)
      std::printf("%sin %s", apart, row.kernel->file);
    if (row.calls > 1)
      std::printf(" (%d calls)", row.calls);
    std::printf("\n");
  }
  std::printf("%7s %10.1f\n", "all", total * 1e6);
  return trace.empty() ? std::nullopt : writeTrace(trace, runner.getSignature().function, calls);
}
