// What is left behind when lathec fails through a fault of its own.
#ifndef LATHE_TOOLS_LATHEC_REPRODUCER_H
#define LATHE_TOOLS_LATHEC_REPRODUCER_H

#include <string>
#include <vector>

/// Writes GRAPH's stem + "-reproducer.mlir" in the current folder: the graph behind a comment with the version and the command
/// line. Returns what to tell the user; for a graph from standard input, which is gone, there is only the command line to tell.
std::string writeReproducer(const std::string &graph, const std::vector<std::string> &words);

#endif
