// A graph in text whose ops have names, and a count of the checks that failed.
#ifndef LATHE_TEST_ANALYSIS_GRAPH_H
#define LATHE_TEST_ANALYSIS_GRAPH_H

#include "dialects/Lathe/IR/Lathe.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace lathe::analysistest {

/// The body of one function, parsed with all that it needs. Ops are found by the attribute `is`.
class Graph {
public:
  /// Ends the program if the text does not parse.
  explicit Graph(const std::string &text);

  mlir::Operation *op(llvm::StringRef name);
  template <typename Op>
  Op get(llvm::StringRef name) {
    return mlir::cast<Op>(op(name));
  }
  mlir::Block &block();

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// Reports a check that does not hold, and counts it.
void expect(bool holds, const char *what);
int failures();

void testInPlace();
void testLiveness();
void testNaNs();
void testRecomputation();
void testReductionLevels();
void testWidening();
void testSigns();
void testStepOrder();

} // namespace lathe::analysistest

#endif
