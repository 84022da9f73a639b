// The command line of lathec.
#ifndef LATHE_TOOLS_LATHEC_OPTIONS_H
#define LATHE_TOOLS_LATHEC_OPTIONS_H

#include "lathe/CompileOptions.h"
#include <optional>
#include <string>

struct CommandLine {
  std::string graph, output, depfile;
  bool cppHeader = false;            // a C++ header beside the C header
  std::string explainFile, timeFile; // for --explain and --time-report as JSON; empty: text
  bool explains = false, reportsTime = false;
  std::string reportFile, profileFile;      // of --report and --report-profile; empty: none
  double tuneSeconds = 0;                   // of --tune; 0: no measurement
  std::string tuneFile;                     // for the schedules that it finds
  std::map<std::string, int64_t> tuneSizes; // of named dimensions, for measuring
  lathe::CompileOptions options;
  std::map<std::string, std::string> constInputs; // files by the names of inputs
};

/// Parses the command line. If the program should end (help, version, an error), sets *exitCode and returns nullopt.
std::optional<CommandLine> parseCommandLine(int argc, char **argv, int *exitCode);

#endif
