#include "tools/lathe-run/MachineLimits.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"
#include <algorithm>
#include <cstdlib>
#include <thread>
#include <unistd.h>

namespace json = llvm::json;

/// The layout of the file; another number means another kind of measurement.
static constexpr int64_t kFormat = 1;

double MachineLimits::bandwidthFor(double bytes) const {
  for (auto &[size, speed] : bandwidth)
    if (bytes <= double(size))
      return speed;
  return bandwidth.empty() ? 0 : bandwidth.back().second;
}

double MachineLimits::leastSeconds(double flops, double bytes, bool isDouble) const {
  return std::max(flops / (isDouble ? flops64 : flops32), bytes / bandwidthFor(bytes));
}

json::Object MachineLimits::toJson() const {
  json::Array sizes;
  for (auto &[size, speed] : bandwidth)
    sizes.push_back(json::Object{{"working_set", size}, {"bytes_per_second", speed}});
  return json::Object{{"threads", threads}, {"f32_flops", flops32}, {"f64_flops", flops64}, {"bandwidth", std::move(sizes)}};
}

/// Reads limits as toJson writes them; nullopt for anything else.
static std::optional<MachineLimits> readLimits(const json::Object *object, int threads) {
  const json::Array *sizes = object ? object->getArray("bandwidth") : nullptr;
  if (!sizes || sizes->empty())
    return std::nullopt;
  MachineLimits limits;
  limits.threads = threads;
  limits.flops32 = object->getNumber("f32_flops").value_or(0);
  limits.flops64 = object->getNumber("f64_flops").value_or(0);
  for (const json::Value &value : *sizes) {
    const json::Object *pair = value.getAsObject();
    std::optional<int64_t> size = pair ? pair->getInteger("working_set") : std::nullopt;
    std::optional<double> speed = pair ? pair->getNumber("bytes_per_second") : std::nullopt;
    if (!size || !speed || !(*speed > 0))
      return std::nullopt;
    limits.bandwidth.emplace_back(*size, *speed);
  }
  return limits.flops32 > 0 && limits.flops64 > 0 ? std::optional(limits) : std::nullopt;
}

std::string machineFile() {
  llvm::SmallString<128> path;
  if (const char *cache = std::getenv("XDG_CACHE_HOME"); cache && llvm::sys::path::is_absolute(cache))
    path = cache;
  else if (const char *home = std::getenv("HOME"); home && *home) {
    path = home;
    llvm::sys::path::append(path, ".cache");
  } else {
    return "";
  }
  llvm::sys::path::append(path, "lathe", "machine.json");
  return path.str().str();
}

/// Names the processor and its hardware threads: limits hold for these only.
static std::string processor() {
  std::string name = llvm::sys::getHostCPUName().str();
  if (auto info = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo"))
    for (llvm::StringRef rest = (*info)->getBuffer(), line; !rest.empty();) {
      std::tie(line, rest) = rest.split('\n');
      if (line.starts_with("model name")) {
        name = line.split(':').second.trim().str();
        break;
      }
    }
  return name + ", " + std::to_string(std::thread::hardware_concurrency()) + " threads";
}

/// Reads the file; an empty record for another processor, another format or no file.
static json::Object readFile(const std::string &path, const std::string &name) {
  json::Object empty{{"format", kFormat}, {"processor", name}, {"limits", json::Object()}};
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (path.empty() || !buffer)
    return empty;
  llvm::Expected<json::Value> parsed = json::parse((*buffer)->getBuffer());
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return empty;
  }
  json::Object *object = parsed->getAsObject();
  bool fits = object && object->getInteger("format") == kFormat && object->getString("processor") == name &&
              object->getObject("limits");
  return fits ? std::move(*object) : std::move(empty);
}

/// Writes the file under another name and renames it, so that readers never see a part.
static void writeFile(const std::string &path, json::Object object) {
  if (path.empty() || llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
    return;
  std::string part = path + "." + std::to_string(getpid());
  std::error_code problem;
  llvm::raw_fd_ostream out(part, problem);
  if (!problem) {
    out << llvm::formatv("{0:2}\n", json::Value(std::move(object)));
    out.close();
    problem = out.error();
    out.clear_error(); // left in place it would end the process
  }
  if (problem || llvm::sys::fs::rename(part, path))
    llvm::sys::fs::remove(part);
}

/// Returns the larger of each limit. Both are of the same number of threads.
static MachineLimits betterOf(MachineLimits a, const MachineLimits &b) {
  a.flops32 = std::max(a.flops32, b.flops32);
  a.flops64 = std::max(a.flops64, b.flops64);
  for (size_t i = 0; i < std::min(a.bandwidth.size(), b.bandwidth.size()); ++i)
    a.bandwidth[i].second = std::max(a.bandwidth[i].second, b.bandwidth[i].second);
  return a;
}

MachineLimits machineLimits(int threads, Measure measure) {
  std::string path = machineFile(), key = std::to_string(threads);
  json::Object file = readFile(path, processor());
  json::Object &all = *file.getObject("limits");
  std::optional<MachineLimits> known = readLimits(all.getObject(key), threads);
  if (known && measure == Measure::Once)
    return *known;
  MachineLimits limits = measureLimits(threads);
  if (known && measure == Measure::Better)
    limits = betterOf(limits, *known);
  all[key] = limits.toJson();
  writeFile(path, std::move(file));
  return limits;
}
