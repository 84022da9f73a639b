// What a compilation is asked for: the options of lathec as a struct.
#ifndef LATHE_COMPILEOPTIONS_H
#define LATHE_COMPILEOPTIONS_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace lathe {

enum class EmitKind { Object, Assembly, LLVM, Bitcode, Shared, StaticLibrary, Header, MLIR, None };

struct CompileOptions {
enum class Sanitizer { None, Address, Thread };

  EmitKind emit = EmitKind::Object;
  std::string emitStage = "plan";           // with EmitKind::MLIR: the stage after which the graph is printed
  std::string prefix;                       // of C symbols
  std::vector<std::string> entries;         // functions to export; all public ones when empty
  std::string target = "host";
  std::map<std::string, int64_t> fixedDims; // --dim
  std::map<std::string, std::vector<int64_t>> specialize;
  bool threads = true;
  Sanitizer sanitizer = Sanitizer::None; // that instruments the generated code
  bool fuse = true;
  unsigned optLevel = 2;
  bool explain = false;
  bool timeReport = false;
  std::string saveStages; // folder for the graph after each stage; none when empty
};

} // namespace lathe

#endif
