// The trace of --profile, in the Trace Event Format that Perfetto and chrome://tracing open.
#include "lib/Compiler/Describe/Description.h"
#include "tools/lathe-run/Profile.h"

using namespace lathe;
namespace json = llvm::json;

namespace {
class TraceWriter {
public:
  TraceWriter(const Profile &profile, llvm::raw_ostream &out) : profile(profile), json(out) {
    for (const ProfileRow &row : profile.rows)
      rows[row.kernel] = &row;
  }

  void write() {
    json.object([&] {
      json.attribute("displayTimeUnit", "ms");
      json.attributeObject("otherData", [&] { writeRun(); });
      json.attributeArray("traceEvents", [&] {
        writeNames();
        for (const KernelCall &call : profile.run.calls)
          event(nameOf(call), "kernel", 0, call.begin, call.seconds, [&] { writeArguments(call); });
        for (const KernelPiece &piece : profile.run.pieces)
          event(nameOf(profile.run.calls[piece.call]), "piece", piece.thread, piece.begin, piece.seconds,
                [&] { json.attribute("call", int64_t(piece.call)); });
      });
    });
  }

private:
  static llvm::StringRef nameOf(const KernelCall &call) { return call.kernel->node ? call.kernel->node : call.kernel->op; }

  /// Writes an event with times in microseconds. Tracks are numbered from 1: 0 is not valid for a thread.
  template <typename Arguments>
  void event(llvm::StringRef name, const char *category, unsigned thread, double begin, double seconds, Arguments arguments) {
    json.object([&] {
      json.attribute("name", name);
      json.attribute("cat", category);
      json.attribute("ph", "X");
      json.attribute("ts", begin * 1e6);
      json.attribute("dur", seconds * 1e6);
      json.attribute("pid", 1);
      json.attribute("tid", int64_t(thread) + 1);
      json.attributeObject("args", arguments);
    });
  }

  void writeArguments(const KernelCall &call) {
    const lathe_kernel_info &kernel = *call.kernel;
    const ProfileRow &row = *rows.lookup(call.kernel);
    json.attribute("op", kernel.op);
    json.attribute("fused", kernel.fused ? kernel.fused : "");
    json.attribute("file", kernel.file);
    json.attribute("line", kernel.line);
    json.attribute("kernel", kernel.name);
    if (row.number < 0)
      return;
    json.attribute("row", row.number);
    if (!row.described)
      return;
    json.attribute("shape", row.type);
    json.attribute("flop", row.flops);
    json.attribute("bytes", row.bytes);
  }

  /// Writes the viewer's names of the process and of the tracks.
  void writeNames() {
    metadata("process_name", 0, profile.function);
    unsigned threads = 1;
    for (const KernelPiece &piece : profile.run.pieces)
      threads = std::max(threads, piece.thread + 1);
    for (unsigned thread = 0; thread < threads; ++thread)
      metadata("thread_name", thread,
               profile.isOnDevice ? "stream"
               : thread           ? "thread " + std::to_string(thread + 1)
                                  : "calling thread");
  }

  void metadata(llvm::StringRef kind, unsigned thread, const std::string &name) {
    json.object([&] {
      json.attribute("name", kind);
      json.attribute("ph", "M");
      json.attribute("pid", 1);
      json.attribute("tid", int64_t(thread) + 1);
      json.attributeObject("args", [&] { json.attribute("name", name); });
    });
  }

  /// Writes what lathec --report needs besides the events.
  void writeRun() {
    json.attribute("function", profile.function);
    json.attribute("version", profile.version);
    json.attributeObject("sizes", [&] {
      for (auto &[name, size] : profile.sizes)
        json.attribute(name, size);
    });
    if (profile.limits)
      json.attribute("limits", profile.limits->toJson());
  }

  const Profile &profile;
  json::OStream json;
  llvm::DenseMap<const lathe_kernel_info *, const ProfileRow *> rows;
};
} // namespace

std::optional<Failure> writeTrace(const std::string &path, const Profile &profile) {
  std::error_code problem;
  llvm::raw_fd_ostream out(path, problem);
  if (!problem) {
    TraceWriter(profile, out).write();
    out.close();
    problem = out.error();
    out.clear_error(); // the caller reports the error; left in place it would end the process
  }
  if (!problem)
    return std::nullopt;
  return Failure{kWrongUsage, "--profile: cannot write '" + path + "': " + problem.message()};
}
