// Which files lathec writes, by the command line.
#ifndef LATHE_TOOLS_LATHEC_OUTPUTNAMES_H
#define LATHE_TOOLS_LATHEC_OUTPUTNAMES_H

#include "lathe/CompileOptions.h"
#include <optional>
#include <set>
#include <string>

/// The kind of output that the ending of a file's name stands for: "net.so" is a shared library. Nullopt for other endings.
std::optional<lathe::EmitKind> kindOfEnding(const std::string &file);

/// True if the name's ending is that of a graph or of data that lathec reads and never writes.
bool isInputEnding(const std::string &file);

/// Files of one compilation; an empty name is of one that is not written.
struct OutputNames {
  std::string code;   // what --emit asks for: "-" is standard output
  std::string header; // beside a library or an object, unless that goes to a stream
  std::string weights;
  std::string depfile;

  /// Why one of the files must not be written over one of `inputs`, or nothing.
  std::string overwrites(const std::set<std::string> &inputs) const;
};

/// Names the files: `output` is the text of -o, empty for the graph's stem in the current folder. `weights` is named in any
/// case.
OutputNames nameOutputs(const std::string &graph, const std::string &output, lathe::EmitKind kind);

#endif
