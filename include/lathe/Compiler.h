// The compiler as a library: a graph file in, the bytes of an object and its header out.
#ifndef LATHE_COMPILER_H
#define LATHE_COMPILER_H

#include "lathe/CompileOptions.h"
#include <memory>
#include <set>
#include <string>

namespace lathe {

/// How a compilation ended; the values are lathec's exit codes.
enum class CompileStatus { Done = 0, Refused = 1, WrongUsage = 2, InternalError = 3 };

/// One decision of the compiler, at its place in the graph.
struct CompileRemark {
  std::string file; // as diagnostics name it
  int line, column; // from 1; 0 if the decision is about the whole graph
  std::string node; // of a model; else empty
  std::string stage;
  bool isMissed; // says why something was not done
  std::string text;

  /// Returns the remark as one line of text, like a diagnostic.
  std::string str() const;
};

struct CompileDescription;

struct CompileResult {
  CompileStatus status = CompileStatus::Done;
  std::string code;                   // object, assembly, IR or graph text, by CompileOptions::emit
  std::string header;                 // the C header
  std::string cppHeader;              // the C++ header, if CompileOptions::headerFile asks for it
  std::string weights;                // with externWeights: the file of larger constants that entries are given; else empty
  std::string diagnostics;            // "file:line:col: error: ..." lines, empty when all went well
  std::vector<CompileRemark> remarks; // with explain
  std::vector<std::pair<std::string, double>> times; // seconds of each part of the compilation, by name
  std::string timeReport;                            // the same as lines of a table
  /// With `describe`: the kernels and their memory (lib/Compiler/Describe/Description.h); null if the graph is refused before
  /// they are known.
  std::shared_ptr<const CompileDescription> description;
  /// Files that the compilation read: the graph, the models that it calls and their external data. Filled as far as it got.
  std::set<std::string> filesRead;
};

/// The names of the stages of a compilation, in order.
std::vector<std::string> stageNames();

/// Compiles the graph at `path` ("-" reads text from standard input).
CompileResult compileFile(const std::string &path, const CompileOptions &options);

} // namespace lathe

#endif
