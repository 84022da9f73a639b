// Asks lib/Analysis about small graphs, for which the answers are worked out by hand.
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/Analysis/Graph.h"
#include <cstdio>
#include <cstdlib>

using namespace mlir;
using namespace lathe;
using namespace lathe::analysistest;

static int numFailed = 0;

Graph::Graph(const std::string &text) {
  context.loadDialect<LatheDialect, func::FuncDialect, arith::ArithDialect, math::MathDialect>();
  module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    std::exit(1); // the parser said why
}

Operation *Graph::op(StringRef name) {
  Operation *found = nullptr;
  module->walk([&](Operation *each) {
    if (auto is = each->getAttrOfType<StringAttr>("is"); is && is.getValue() == name)
      found = each;
  });
  if (!found)
    std::printf("no op is '%s'\n", name.str().c_str()), std::exit(1);
  return found;
}

Block &Graph::block() { return (*module->getOps<func::FuncOp>().begin()).getBody().front(); }

void analysistest::expect(bool holds, const char *what) {
  if (!holds)
    std::printf("does not hold: %s\n", what), ++numFailed;
}

int analysistest::failures() { return numFailed; }

int main() {
  testInPlace();
  testLiveness();
  testNaNs();
  testRecomputation();
  testReductionLevels();
  testWidening();
  testSigns();
  testStepOrder();
  return failures() != 0;
}
