// The options for code generation that lathec and lathe-run share. Only their Options.cpp include it: CLI11 needs exceptions.
#ifndef LATHE_TOOLS_SHAREDOPTIONS_H
#define LATHE_TOOLS_SHAREDOPTIONS_H

#include "lathe/CompileOptions.h"
#include "lib/Compiler/SizeOptions.h"
#include "lib/Compiler/StateOption.h"
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace lathe {

inline constexpr const char *kGraphHelp = "The graph: .mlir, .mlirbc, .onnx, or - for text on standard input";

/// The options as texts, until they are read.
class SharedOptions {
public:
  /// Adds the options to a command line. Both objects must outlive its parsing.
  void addTo(CLI::App &app, CompileOptions &options) {
    addList(
        app, "--dim", dims,
        "Fix a named dimension, express it by another one, or let one of a model be 1 or another: N=4, H=32*h, m=1,n; may be "
        "repeated");
    addList(
        app, "--max-steps", maxSteps,
        "Upper bound on the steps of a Loop of an ONNX model that stacks values or carries growing ones and ends on data: N "
        "for all loops, or OUTPUT=N for one; may be repeated");
    addList(app, "--specialize", specialize,
            "Add specialised versions for sizes of a named dimension: N=1,8,32; may be repeated");
    addList(
        app, "--shard", shards,
        "FUNCTION:DIM@AXIS: divide the batch of a training step, a dimension of its inputs, among the ranks of an axis, and "
        "average their gradients; FUNCTION@AXIS for a batch without a name. FUNCTION:DIM: also export the parts of the step that "
        "lathe_shards_create needs to divide a batch among several contexts. Both together divide each rank's batch among its "
        "contexts. May be repeated");
    addList(app, "--axis", axes, "Fix the number of ranks along an axis: data=4; may be repeated");
    addList(
        app, "--shard-variable", variableShards,
        "PATTERN:DIM@AXIS: the ranks of an axis divide a dimension of the variables that match PATTERN (* and ? stand for any "
        "letters), and what is computed with them; a lathe.shard on a variable says the same. Needs --axis; may be repeated");
    app.add_option("--shard-state", stateAxis,
                   "AXIS: each rank of the axis keeps and updates a part of the optimisers' slots; AXIS:parameters: and of the "
                   "other float variables, which are gathered where they are read. Needs --axis")
        ->group("Code");
    app.add_option_function<std::string>(
           "--reduce", [&options](const std::string &order) { options.exactReduction = order == "exact"; },
           "ranks (default): sums over ranks have the same bits for the same number of ranks; exact: a step of --shard that takes "
           "micro-batches gives the same bits for any number of ranks that share these")
        ->check(CLI::IsMember({"ranks", "exact"}))
        ->group("Code");
    app.add_option("--mem-budget", budget,
                   "Largest workspace of each entry, such as 64MB or 1GiB: values are computed again where keeping them would "
                   "take more, or the graph is refused. SIZE:N=32,M=4 gives the largest sizes of named dimensions, which are "
                   "those of --specialize otherwise")
        ->group("Code");
    app.add_flag(
           "--offload", options.offload,
           "With --mem-budget: values that are not read for long may also move to a second workspace, which the bound does "
           "not count, and back. Entries then have the fields cold_workspace and cold_workspace_size")
        ->group("Code");
    addList(
        app, "--state", states,
        "initializers[:PATTERN]: turn float initializers of an ONNX model that match PATTERN into trainable variables (* and ? stand "
        "for any letters); arguments[:PATTERN]: turn arguments of a StableHLO program, by default those that it donates, and the "
        "results that replace them into variables; may be repeated");
    app.add_option_function<std::string>(
           "--math", [&options](const std::string &kind) { options.fastMath = kind == "fast"; },
           "strict (default), or fast: on a CPU, 3x3 convolutions of f32 use Winograd's filtering, and exp, logistic, tanh, erf "
           "and erfc of f32 have errors of a few units in the last place; with AVX512_BF16 or AMX, f32 products round their "
           "factors to bf16; on a GPU division has such errors, too, and f32 products round their factors to tf32")
        ->check(CLI::IsMember({"strict", "fast"}))
        ->group("Code");
    app.add_option("--schedule", options.scheduleFile,
                   "Read schedules of kernels from this file, in place of the chosen ones. Each line is NAME "
                   "#lathe.schedule<...>, as --explain and --emit-stage=schedule print them and lathe-run --tune writes them")
        ->check(CLI::ExistingFile)
        ->group("Code");
  }

  /// Reads the texts. Returns an error, or an empty string.
  std::string read(CompileOptions &options) const {
    std::string error = readSizeOptions(dims, specialize, options);
    if (error.empty())
      error = readStepOptions(maxSteps, options);
    if (error.empty())
      error = readAxisOptions(axes, options);
    if (error.empty())
      error = readShardOptions(shards, options);
    if (error.empty())
      error = readStateAxisOption(stateAxis, options);
    if (error.empty())
      error = readVariableShardOptions(variableShards, options);
    if (error.empty())
      error = readBudgetOption(budget, options);
    if (error.empty() && options.offload && !options.memoryBudget)
      error = "--offload: values move only to keep a bound; add --mem-budget=SIZE";
    if (error.empty() && options.offload && !options.shards.empty())
      error = "--offload: contexts that share a step have no cold workspace; leave --shard=" + options.shards.begin()->first +
              ":" + options.shards.begin()->second + " out";
    if (error.empty() && options.exactReduction && options.rankShards.empty())
      error = "--reduce=exact: needs a step that ranks divide; add --shard=FUNCTION:DIM@AXIS";
    for (auto &[function, dimension] : options.shards)
      if (error.empty() && options.exactReduction && options.rankShards.count(function))
        error = "--reduce=exact: the gradients of several contexts are added in another order; leave --shard=" + function +
                ":" + dimension + " out";
    return error.empty() ? readStateOption(states, options) : error;
  }

private:
  static void addList(CLI::App &app, const char *name, std::vector<std::string> &values, const char *help) {
    app.add_option(name, values, help)->allow_extra_args(false)->group("Code"); // the next word is the graph
  }

  std::vector<std::string> dims, maxSteps, specialize, states, axes, shards, variableShards;
  std::string budget, stateAxis;
};

} // namespace lathe

#endif
