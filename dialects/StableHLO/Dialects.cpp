#include "dialects/StableHLO/Dialects.h"
#include "dialects/StableHLO/Shardy.h"

using namespace mlir;
using namespace lathe;

#include "dialects/StableHLO/ChloDialect.cpp.inc"
#include "dialects/StableHLO/StableHLODialect.cpp.inc"

void stablehlo::StableHLODialect::initialize() {
  registerStableHLODialectOperations(this);
  addBytecodeInterface(*this);
}

void chlo::ChloDialect::initialize() {
  registerChloDialectOperations(this);
  addBytecodeInterface(*this);
}

void lathe::registerStableHlo(DialectRegistry &registry) {
  registry.insert<stablehlo::StableHLODialect, chlo::ChloDialect, sdy::ShardyDialect>();
}
