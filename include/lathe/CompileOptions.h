// The options of a compilation: those of lathec as a struct.
#ifndef LATHE_COMPILEOPTIONS_H
#define LATHE_COMPILEOPTIONS_H

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lathe {

/// The kind of output. LLVM is LLVM IR as text, PTX the GPU kernels; None compiles and writes nothing.
enum class EmitKind { Object, Assembly, LLVM, Bitcode, Shared, StaticLibrary, Header, MLIR, PTX, None };

enum class Sanitizer { None, Address, Thread };

struct KernelCandidates;

struct CompileOptions {
  EmitKind emit = EmitKind::Object;
  std::string emitStage = "plan";   // with EmitKind::MLIR: the stage after which the graph is printed
  std::string prefix;               // of C symbols
  std::vector<std::string> entries; // functions to export; all public ones when empty
  /// The only function to export, besides the graph's @init; "" means the first public function. The state has the variables of
  /// the whole graph.
  std::optional<std::string> entryToRun;
  std::string target = "host";
  bool fastMath = false;                                  // docs/fast-math.md says what changes
  std::string ptxas = "auto";                             // the program that makes cubins: a path, auto, or none
  std::map<std::string, int64_t> fixedDims;               // named dimensions that become numbers
  std::map<std::string, std::string> dimFormulas;         // named dimensions that become expressions of others: "32 * h"
  std::map<std::string, std::string> dimBroadcasts;       // of an ONNX model: dimensions that are 1 or this other one
  std::map<std::string, std::vector<int64_t>> specialize; // sizes of named dimensions that get versions of their own
  int64_t memoryBudget = 0;                               // the largest workspace in bytes; 0 for no limit
  std::map<std::string, int64_t> budgetSizes;             // the sizes of named dimensions for which it holds
  bool offload = false;                                   // values may move to a second workspace, which it does not bound
  std::map<std::string, std::string> shards;              // steps that several contexts may share, to their batch dimensions
  std::map<std::string, std::string> rankShards;          // steps that ranks divide, to BATCH_DIMENSION@AXIS
  bool exactReduction = false;                            // steps that ranks divide give the same bits for any number of ranks
  std::string stateAxis;                   // the axis whose ranks divide the slots of optimisers; none when empty
  bool dividesParameters = false;          // among the ranks of stateAxis, too
  std::vector<std::string> variableShards; // dimensions of variables that ranks divide, PATTERN:DIM@AXIS
  std::map<std::string, int64_t> axes;     // the number of ranks along axes where it is fixed
  /// Functions whose gradients are exported too, as NAME_grad, to the inputs by which they are taken; all floats if there are
  /// none.
  std::map<std::string, std::vector<std::string>> gradients;
  std::set<std::string> constInputs; // inputs that become constants, which headers list
  /// Upper bounds on the steps of Loops of an ONNX model that stack values or carry growing ones and end on data, by an output
  /// of the Loop; "" stands for all other Loops.
  std::map<std::string, int64_t> maxSteps;
  /// Patterns such as "*" and "fc.*": the initializers of ONNX models with such names become variables, which can be trained.
  std::vector<std::string> stateInitializers;
  /// The same for arguments of StableHLO programs; "" stands for those that the program donates.
  std::vector<std::string> stateArguments;
  bool externWeights = false; // larger constants into a file of their own, CompileResult::weights
  std::string weightsFile;    // the name of that file in the header; PREFIX.weights when empty
  /// The base name of the C header, which the C++ header includes; CompileResult::cppHeader is filled unless this is empty.
  std::string headerFile;
  Sanitizer sanitizer = Sanitizer::None; // it instruments the generated code
  bool checkFinite = false;              // the object reports the first op that makes a NaN or an infinity
  bool checkBounds = false;              // and the first one that reads or writes outside of a tensor
  bool threads = true;                   // entries take a context; without, objects call nothing of their caller's
  bool fuse = true;                      // several ops a kernel
  bool anyItems = false;                 // kernels over items of any number of ops and items, for tests
  unsigned optLevel = 2;                 // 0 to 3; 0 also keeps each op a kernel, 0 and 1 choose instructions quickly
  unsigned jobs = 0;                     // threads that compile; 0: one for each core
  /// Scalar operations below which a kernel is not worth other threads.
  int64_t parallelWork = 65536;
  /// A function whose derivatives are to be checked, the first one if empty: the module then holds, in f64, the entries that
  /// passes/Gradcheck makes of it.
  std::optional<std::string> gradcheck;
  std::string debugPrefix;  // the folder that debug information names for the graph; none when empty
  std::string clusterFile;  // describes ranks whose expected times are explained; none when empty
  bool explain = false;     // fill CompileResult::remarks
  bool describe = false;    // set CompileResult::description
  std::string scheduleFile; // schedules of kernels in the place of those that are chosen; none when empty
  /// Filled with the schedules for CPUs that a tuner may try (codegen/Schedules/Candidates.h), unless it is null.
  std::vector<KernelCandidates> *candidates = nullptr;
  bool colors = false;    // of diagnostics: for a terminal
  std::string saveStages; // folder for the graph after each stage; none when empty
  /// Receives an object, a shared object or a static library in parts, in order, in place of CompileResult::code, unless it is
  /// empty: the weights are then not in memory a second time. If it returns false, the compilation ends with WrongUsage and
  /// without a message.
  std::function<bool(const char *bytes, size_t size)> write;
  /// Called with the name of each part of the compilation before it begins, unless it is empty.
  std::function<void(const std::string &part)> progress;
};

} // namespace lathe

#endif
