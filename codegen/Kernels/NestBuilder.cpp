#include "codegen/Kernels/NestBuilder.h"
#include "dialects/Lathe/IR/AffineDims.h"

using namespace mlir;
using namespace lathe;

NestBuilder::NestBuilder(OpBuilder &builder, Location location, RankedTensorType result, ArrayRef<Dim> reduce,
                         NestReduction reduction)
    : builder(builder), location(location), result(result), extents(dimsOf(result)), reduction(reduction) {
  extents.append(reduce.begin(), reduce.end());
}

AffineExpr NestBuilder::expr(const Dim &dim) {
  return affineOf(dim, context(), [&](const std::string &name) {
    auto *found = llvm::find(symbols, name);
    unsigned position = found - symbols.begin();
    if (found == symbols.end())
      symbols.push_back(name);
    return getAffineSymbolExpr(position, context());
  });
}

void NestBuilder::read(Value tensor, ArrayRef<AffineExpr> indices, const Guard &guard, TypedAttr fill) {
  if (!fill)
    fill = builder.getZeroAttr(scalarOf(typeOf(tensor).getElementType()));
  reads.push_back({tensor, SmallVector<AffineExpr>(indices), guard, fill});
}

static IntegerSet guardSet(unsigned dims, unsigned symbols, const NestBuilder::Guard &guard, MLIRContext *context) {
  SmallVector<AffineExpr> constraints(guard.nonNegative);
  SmallVector<bool> equalities(guard.nonNegative.size(), false);
  constraints.append(guard.zero);
  equalities.append(guard.zero.size(), true);
  if (constraints.empty()) { // an integer set needs a constraint: 0 >= 0
    constraints.push_back(getAffineConstantExpr(0, context));
    equalities.push_back(false);
  }
  return IntegerSet::get(dims, symbols, constraints, equalities);
}

Value NestBuilder::finish(Body body) {
  SmallVector<Value> inputs;
  SmallVector<Attribute> accesses;
  SmallVector<Type> scalars;
  SmallVector<Location> locations;
  for (const Read &read : reads) {
    auto map = AffineMap::get(extents.size(), symbols.size(), read.indices, context());
    IntegerSet guard = guardSet(extents.size(), symbols.size(), read.guard, context());
    accesses.push_back(AccessAttr::get(context(), AffineMapAttr::get(map), IntegerSetAttr::get(guard), read.fill));
    inputs.push_back(read.tensor);
    scalars.push_back(scalarOf(typeOf(read.tensor).getElementType()));
    locations.push_back(location);
  }
  SmallVector<StringRef> names(symbols.begin(), symbols.end());
  auto nest = NestOp::create(builder, location, result, inputs, shapeOf(context(), extents), builder.getArrayAttr(accesses),
                             builder.getStrArrayAttr(names), reduction);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&nest.getBody(), {}, scalars, locations);
  YieldOp::create(builder, location, body(builder, location, block->getArguments()));
  return nest.getResult();
}
