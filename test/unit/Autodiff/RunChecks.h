// Code that the programs which check every graph share.
#ifndef LATHE_TEST_AUTODIFF_RUNCHECKS_H
#define LATHE_TEST_AUTODIFF_RUNCHECKS_H

#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "test/unit/Autodiff/Graphs.h"
#include "test/unit/TimeLimit.h"
#include <algorithm>
#include <random>

/// Lets a checker, made of a context and `arguments`, check each graph, then what else it has to `finish`; prints what it
/// counted. The program's exit status. Under a TimeLimit the graphs come in another order each time, and what is to be finished
/// needs all of them.
template <typename Checker, typename... Arguments>
int runChecks(std::vector<Graph> graphs, Arguments &&...arguments) {
  mlir::DialectRegistry registry;
  registry.insert<lathe::LatheDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Checker checker(context, std::forward<Arguments>(arguments)...);
  TimeLimit limit;
  if (limit.isSet())
    std::shuffle(graphs.begin(), graphs.end(), std::mt19937_64(std::random_device()()));
  size_t checked = 0;
  for (; checked < graphs.size() && !limit.isOver(); ++checked)
    checker.check(graphs[checked]);
  if constexpr (requires { checker.finish(); })
    if (checked == graphs.size())
      checker.finish();
  llvm::outs() << checked << " of " << graphs.size() << " graphs, ";
  if constexpr (requires { checker.checks; })
    llvm::outs() << checker.checks << " checks, ";
  llvm::outs() << checker.failures << " failures\n";
  return checker.failures != 0;
}

/// The function's results by the interpreter; nullopt after `fail` was told that there are none.
template <typename Fail>
std::optional<std::vector<lathe::Tensor>> interpreted(mlir::func::FuncOp function, const std::vector<lathe::Tensor> &arguments,
                                                      Fail fail) {
  mlir::FailureOr<std::vector<lathe::Tensor>> results = lathe::interpret(function, arguments);
  if (mlir::succeeded(results))
    return *results;
  fail(("@" + function.getSymName() + " does not run").str());
  return std::nullopt;
}

#endif
