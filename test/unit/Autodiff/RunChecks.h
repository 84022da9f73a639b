// What the programs that check every graph share.
#ifndef LATHE_TEST_AUTODIFF_RUNCHECKS_H
#define LATHE_TEST_AUTODIFF_RUNCHECKS_H

#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Interpreter/Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "test/unit/Autodiff/Graphs.h"

/// Lets a checker, made of a context and `arguments`, check each graph, then what else it has to `finish`; prints what it
/// counted. The program's exit status.
template <typename Checker, typename... Arguments>
int runChecks(const std::vector<Graph> &graphs, Arguments &&...arguments) {
  mlir::DialectRegistry registry;
  registry.insert<lathe::LatheDialect, mlir::func::FuncDialect>();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Checker checker(context, std::forward<Arguments>(arguments)...);
  for (const Graph &graph : graphs)
    checker.check(graph);
  if constexpr (requires { checker.finish(); })
    checker.finish();
  llvm::outs() << graphs.size() << " graphs, ";
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
