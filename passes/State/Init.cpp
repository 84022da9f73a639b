// Random initialisers. Variable i of the module, in the order of declaration, takes its bits from the streams 2 i and 2 i + 1
// of the seed, so its values depend only on the seed and on i. k = bits >> 8 is one of 2^24 integers, all of which f32
// represents.
//   uniform  low + (high - low) * k / 2^24, from stream 2 i; below high also where rounding would reach it
//   normal   mean + stddev * sqrt(-2 ln u) * cos(2 pi v), by Box and Muller, with u = (k + 1) / 2^24 in (0, 1] from stream 2 i
//            and v = k / 2^24 from stream 2 i + 1
// f64 variables use the same bits with the arithmetic in f64; those of f16 and bf16 are rounded from f32.
#include "passes/State/Init.h"
#include "mlir/IR/SymbolTable.h"
#include "passes/State/StateBuilder.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::state;

/// Returns the inputs and outputs of one unit, as a dense layer or a convolution counts them.
static std::pair<double, double> fans(RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  double receptive = 1;
  for (int64_t extent : shape.drop_back(2))
    receptive *= double(extent);
  return {receptive * double(shape[shape.size() - 2]), receptive * double(shape.back())};
}

namespace {
class Initialiser {
public:
  Initialiser(StateBuilder b, Value seed, VariableOp variable, uint64_t index)
      : b(b), seed(seed), type(cast<RankedTensorType>(variable.getType())), stream(2 * index) {}

  Value make(Attribute initial) {
    if (auto elements = dyn_cast<ElementsAttr>(initial))
      return b.make<ConstantOp>(elements);
    Type element = type.getElementType();
    if (isHalf(element))
      type = type.clone(b.builder.getF32Type());
    return b.convert(generate(initial), element);
  }

private:
  Value generate(Attribute initial) {
    if (auto fill = dyn_cast<FillAttr>(initial))
      return b.splat(type, fill.getValue());
    if (auto uniformAttr = dyn_cast<UniformAttr>(initial))
      return uniform(uniformAttr.getLow(), uniformAttr.getHigh());
    if (auto normalAttr = dyn_cast<NormalAttr>(initial))
      return normal(normalAttr.getMean(), normalAttr.getStddev());
    if (isa<HeNormalAttr>(initial))
      return normal(0, std::sqrt(2 / fans(type).first));
    if (isa<GlorotUniformAttr>(initial)) {
      double limit = std::sqrt(6 / (fans(type).first + fans(type).second));
      return uniform(-limit, limit);
    }
    return b.splat(type, 0);
  }

  /// Returns integers below 2^24, as floats.
  Value integers(uint64_t stream) {
    auto bitsType = RankedTensorType::get(type.getShape(), b.builder.getI32Type());
    Value bits = b.make<RandomBitsOp>(seed, stream, shapeOf(b.builder.getContext(), dimsOf(type)), bitsType.getElementType());
    return b.convert(b.make<ShiftRightOp>(bits, b.splat(bitsType, 8)), type.getElementType());
  }

  Value uniform(double low, double high) {
    Value value = b.add(b.scale(integers(stream), (high - low) * 0x1p-24), b.splat(type, low));
    double last = type.getElementType().isF32() ? std::nextafter(float(high), float(low)) : std::nextafter(high, low);
    return b.make<MinOp>(value, b.splat(type, last));
  }

  Value normal(double mean, double stddev) {
    Value u = b.scale(b.add(integers(stream), b.splat(type, 1)), 0x1p-24);
    Value radius = b.make<SqrtOp>(b.scale(b.make<LogOp>(u), -2));
    Value angle = b.scale(integers(stream + 1), 2 * M_PI * 0x1p-24);
    Value value = b.scale(b.mul(radius, b.make<CosOp>(angle)), stddev);
    return mean == 0 ? value : b.add(value, b.splat(type, mean));
  }

  StateBuilder b;
  Value seed;
  RankedTensorType type;
  uint64_t stream;
};
} // namespace

static func::FuncOp declareInit(ModuleOp module, Location location) {
  OpBuilder builder = OpBuilder::atBlockEnd(module.getBody());
  auto seed = RankedTensorType::get({}, builder.getI64Type());
  auto init = func::FuncOp::create(builder, location, "init", builder.getFunctionType({seed}, {}));
  init.setArgAttr(0, kNameAttr, builder.getStringAttr("seed"));
  builder.setInsertionPointToStart(init.addEntryBlock());
  func::ReturnOp::create(builder, location);
  return init;
}

void state::makeInit(ModuleOp module, const Variables &variables, const Names &slots) {
  if (variables.all().empty())
    return;
  auto init = SymbolTable(module).lookup<func::FuncOp>("init");
  bool given = bool(init);
  if (given && (init.isExternal() || !init.getBody().hasOneBlock()))
    return;
  if (!given)
    init = declareInit(module, VariableOp(variables.all().front()).getLoc()); // at the variables' location
  OpBuilder builder(init.front().getTerminator());
  for (uint64_t i = 0; i < variables.all().size(); ++i) {
    VariableOp variable = variables.all()[i];
    if (given && !slots.contains(variable.getSymNameAttr()))
      continue;
    StateBuilder b{builder, variable.getLoc()};
    Value value = Initialiser(b, given ? Value() : init.getArgument(0), variable, i).make(variable.getInitial());
    WriteOp::create(builder, variable.getLoc(), variable.getSymName(), value);
  }
}
