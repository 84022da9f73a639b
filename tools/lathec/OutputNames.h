// Names of the files that lathec writes.
#ifndef LATHE_TOOLS_LATHEC_OUTPUTNAMES_H
#define LATHE_TOOLS_LATHEC_OUTPUTNAMES_H

#include "lathe/CompileOptions.h"
#include <optional>
#include <set>
#include <string>

/// Returns the kind of output for a file's extension: "net.so" is a shared library. Returns nullopt for other extensions.
std::optional<lathe::EmitKind> kindOfEnding(const std::string &file);

/// True for an extension that stands for a kind of file that lathec never writes: source code, a document, data.
bool isForeignEnding(const std::string &file);

/// Returns the extensions of outputs for a message: ".o, .so or .ptx".
std::string outputEndings();

/// True for the extension of a C++ header.
bool isCppHeader(const std::string &file);

/// True for a kind of output that has a C header, or is one.
bool hasHeader(lathe::EmitKind kind);

/// Files of one compilation; an empty name is not written.
struct OutputNames {
  std::string code;   // the output of --emit: "-" is standard output
  std::string header; // beside a library or an object, unless that goes to a stream
  std::string cppHeader;
  std::string weights;
  std::string depfile;
  std::string remarks, times, report; // of --explain, --time-report and --report
  std::string schedules;              // of --tune

  /// Returns why one of the files must not overwrite one of `inputs`, or an empty string.
  std::string overwrites(const std::set<std::string> &inputs) const;
};

/// Names the files. `output` is the value of -o; empty for the graph's stem in the current folder. `weights` is always named,
/// `cppHeader` if the caller wants it.
OutputNames nameOutputs(const std::string &graph, const std::string &output, lathe::EmitKind kind, bool wantsCppHeader);

#endif
