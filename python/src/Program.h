// A compiled object in this process, with the memory that its entries share.
#ifndef LATHE_PYTHON_PROGRAM_H
#define LATHE_PYTHON_PROGRAM_H

#include "lathe/runtime.h"
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <string>
#include <vector>

namespace lathe::python {

/// The state, weights, workspace and threads of one loaded object. Calls from several Python threads wait for each other.
class Program {
public:
  /// Opens a shared library of lathec's whose C names begin with `prefix`. `weights` is the path of the file that
  /// --weights=extern makes, or empty. The library stays in the process; both files may go once they are open.
  Program(const std::string &path, const std::string &prefix, const std::string &weights, int threads);
  ~Program();
  Program(const Program &) = delete;

  const lathe_module_info &getInfo() const { return *info; }
  void setThreads(int threads);
  int getThreads() const { return threads; }
  /// Returns the context with this number of threads, 0 for one for each core, which the program keeps. Raises ValueError or
  /// RuntimeError where there can be none.
  lathe_context *contextWith(int threads);

  /// Returns a NumPy array over a variable's memory, which keeps the program alive. Raises KeyError for an unknown name.
  static nanobind::object variable(nanobind::handle self, const std::string &name);
  std::vector<std::string> variableNames() const;
  void saveState(const std::string &path);
  /// Loads a safetensors file. With `partial`, variables without a tensor keep their values, and tensors without a variable are
  /// skipped. Returns the names of both: (missing, left over).
  std::pair<std::vector<std::string>, std::vector<std::string>> loadState(const std::string &path, bool partial);

  /// Starts to record when kernels of calls begin and end.
  void startProfile();
  /// Ends the record. Returns a tuple for each run of a kernel, in order: (op, fused ops, file, line, node, symbol, begin,
  /// end), with times in seconds.
  nanobind::list takeProfile();

  /// Calls an entry with an args struct, in which it sets what all entries have, with the threads of `own`, or where it is null
  /// with those of the program. Releases the interpreter's lock meanwhile. Returns the status; `error` tells more.
  lathe_status call(const lathe_function_info &function, const int64_t *dims, std::vector<char> &args, lathe_context *own,
                    lathe_error &error);

private:
  using Clock = std::chrono::steady_clock;
  struct KernelRun {
    const lathe_kernel_info *kernel;
    Clock::time_point begin, end;
  };
  static void note(lathe_context *context, const lathe_kernel_info *kernel, int32_t begins);

  const lathe_module_info *info;
  std::map<int, lathe_context *> contexts; // by the number of threads; the interpreter's lock protects the map
  int cores = 0;                           // how many threads 0 stands for; 0: not known yet
  lathe_context *context;                  // of calls without threads of their own
  std::atomic<int> threads;
  std::atomic<bool> isProfiled = false;
  std::vector<KernelRun> runs; // of the profile
  void *state = nullptr, *workspace = nullptr, *coldWorkspace = nullptr;
  const void *weights = nullptr;
  size_t weightsSize = 0, workspaceSize = 0, coldWorkspaceSize = 0;
  std::mutex inUse;
};

} // namespace lathe::python

#endif
