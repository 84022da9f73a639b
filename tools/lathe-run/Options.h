// The command line of lathe-run.
#ifndef LATHE_TOOLS_LATHE_RUN_OPTIONS_H
#define LATHE_TOOLS_LATHE_RUN_OPTIONS_H

#include "dialects/Lathe/Interpreter/RankAxis.h"
#include "lathe/CompileOptions.h"
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lathe {
struct ConstInputs;
} // namespace lathe

/// The exit codes; --help documents them.
enum ExitCode { kFine = 0, kDiffers = 1, kWrongUsage = 2, kRefused = 3, kFailed = 4 };

struct RunOptions {
  std::string graph, function;
  std::map<std::string, std::string> inputs, outputs, expected; // by name: "@F.npy", "3.5", "random:7"
  std::map<std::string, int64_t> dims;
  std::vector<std::string> libraries; // they define functions that the graph calls
  bool randomRest = false, interpret = false, check = false, profile = false, bisect = false;
  std::string profileTrace;     // for the calls that --profile times; empty for none
  bool measuresMachine = false; // for --profile, even if the limits are known
  std::string after; // the stage after which the graph is interpreted; empty: only the stages that the interpreter needs
  std::optional<std::vector<std::string>> trace; // names or lines of the traced values; all if empty
  std::string traceFolder;                       // for .npy files of them, instead of printing
  std::string loadState, saveState;              // safetensors files of the variables, before and after the run; empty for none
  bool partialState = false;                     // loadState may lack variables, or have tensors of no variable
  std::string saveFolder;                        // for inputs and results as .npy files; empty for none
  bool prints = true;                            // show the graph's prints
  std::string gradcheck;                         // "sample" or "all" entries; empty: no check of derivatives
  double benchmarkSeconds = 0;
  std::string benchmarkOutput; // a file of JSON; empty: none
  double tuneSeconds = 0;      // 0: no measurement of other schedules
  std::string tuneFile;        // for the schedules that are faster
  int threads = 1;
  std::vector<lathe::RankAxis> ranks; // empty: no --ranks
  int device = 0;                     // the GPU's number, if the target names one
  bool placesArguments = false;       // in the GPU's memory
  lathe::CompileOptions compile;
  double rtol = 1e-3, atol = 1e-7;
  int64_t seed = 0;
  std::string testData;                          // a folder of ONNX tensors, or empty
  std::string constInputs = "none";              // inputs that are constants: "auto", "none" or names with commas
  std::shared_ptr<lathe::ConstInputs> constants; // these inputs with their values; null for none

  /// True if the target includes a GPU.
  bool wantsDevice() const { return compile.target.find("cuda:") != std::string::npos; }
  /// True if the CPU may run the code when there is no GPU.
  bool allowsCpu() const {
    return ("," + compile.target).find(",host") != std::string::npos || compile.target.find("x86-64") != std::string::npos;
  }
  /// True if `graph` is a compiled object or library.
  bool isObject() const { return graph.ends_with(".o") || graph.ends_with(".so"); }
};

/// Parses the command line. If the program should end (help, version, an error), sets *exitCode and returns nullopt.
std::optional<RunOptions> parseOptions(int argc, char **argv, int *exitCode);

#endif
