// Reproducers for internal errors of lathec.
#ifndef LATHE_TOOLS_LATHEC_REPRODUCER_H
#define LATHE_TOOLS_LATHEC_REPRODUCER_H

#include <string>
#include <vector>

/// Writes GRAPH's stem + "-reproducer.mlir" in the current folder: the graph after a comment with the version and the command
/// line. Returns the text for the user. A graph from standard input is lost, so the text then only has the command line.
std::string writeReproducer(const std::string &graph, const std::vector<std::string> &words);

#endif
