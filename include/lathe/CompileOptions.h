// What a compilation is asked for: the options of lathec as a struct.
#ifndef LATHE_COMPILEOPTIONS_H
#define LATHE_COMPILEOPTIONS_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lathe {

enum class EmitKind { Object, Assembly, LLVM, Bitcode, Shared, StaticLibrary, Header, MLIR, None };

enum class Sanitizer { None, Address, Thread };

struct CompileOptions {
  EmitKind emit = EmitKind::Object;
  std::string emitStage = "plan";   // with EmitKind::MLIR: the stage after which the graph is printed
  std::string prefix;               // of C symbols
  std::vector<std::string> entries; // functions to export; all public ones when empty
  std::string target = "host";
  std::map<std::string, int64_t> fixedDims; // --dim
  std::map<std::string, std::vector<int64_t>> specialize;
  Sanitizer sanitizer = Sanitizer::None; // that instruments the generated code
  bool threads = true;
  bool fuse = true;
  unsigned optLevel = 2;
  /// A function whose derivatives are to be checked, the first one if empty: the module then holds, in f64, the entries that
  /// passes/Gradcheck makes of it.
  std::optional<std::string> gradcheck;
  bool explain = false;
  bool timeReport = false;
  bool colors = false;    // of diagnostics: for a terminal
  std::string saveStages; // folder for the graph after each stage; none when empty
};

} // namespace lathe

#endif
