#include "lib/Import/ONNX/Operators/Carries.h"
#include "dialects/Lathe/IR/DerivedDims.h"
#include "dialects/Lathe/IR/EqualSizes.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::onnximport;

bool onnximport::isDecidedIn(Node &node, const Dim &dim, ArrayRef<Block *> blocks) {
  Model &model = node.getGraph().getModel();
  return llvm::any_of(namesIn(dim), [&](const std::string &name) {
    auto source = model.dimSources.find(name);
    return source != model.dimSources.end() && llvm::is_contained(blocks, source->second.first.getParentBlock());
  });
}

/// A name that no header uses.
static constexpr llvm::StringLiteral kPlaceholder = "room.";

static bool hasPlaceholder(const Dim &dim) {
  return llvm::any_of(namesIn(dim), [](StringRef name) { return name.starts_with(kPlaceholder); });
}

void Carries::addChanging(ArrayRef<ChangingDim> others) {
  for (ChangingDim each : others) {
    each.room = Dim::named((kPlaceholder + Twine(each.carry) + "." + Twine(each.dim)).str());
    changing.push_back(each);
  }
}

RankedTensorType Carries::typeOf(size_t carry) const {
  Dims dims = dimsOf(first[carry]);
  for (const ChangingDim &each : changing)
    if (size_t(each.carry) == carry)
      dims[each.dim] = each.room;
  return tensorOf(dims, elementOfValue(first[carry]));
}

// ---- The op

SmallVector<Value> Carries::begin(Node &node) const {
  SmallVector<Value> values;
  for (auto [i, value] : llvm::enumerate(first))
    values.push_back(node.padTo(value, dimsOf(typeOf(i))));
  for (const ChangingDim &each : changing)
    values.push_back(node.size(dimsOf(first[each.carry])[each.dim], node.i64()));
  return values;
}

void Carries::bring(Node &node, Body &body) {
  Model &model = node.getGraph().getModel();
  OpBuilder::InsertionGuard guard(model.builder);
  model.builder.setInsertionPointToEnd(&body.block);
  SmallVector<Value> values;
  for (size_t i = 0; i < first.size(); ++i)
    values.push_back(body.block.addArgument(typeOf(i), body.location));
  for (ChangingDim &each : changing) {
    Value &value = values[each.carry];
    if (hasPlaceholder(each.room))
      model.dimSources[each.room.str()] = {value, each.dim};
    Value count = body.block.addArgument(RankedTensorType::get({}, node.i64()), body.location);
    value = node.setDimSize(value, each.dim, count, "carried_" + body.graph.getProto().input(2 + each.carry).name());
    if (value)
      each.name = dimsOf(value)[each.dim].str();
  }
  for (auto [i, value] : llvm::enumerate(values))
    if (value)
      body.graph.bind(body.graph.getProto().input(2 + i).name(), value);
}

/// Returns the value with the sizes that ops of the block take to be equal to its own: one of `sizes` where it is among them.
static Value withEqualSizes(Node &node, Block &block, Value value, ArrayRef<Dim> sizes) {
  Dims dims = dimsOf(value);
  block.walk([&](Operation *op) {
    for (auto &[a, b] : sizesTakenForEqual(op))
      for (auto [dim, size] : llvm::zip_equal(dims, sizes))
        if ((dim == a && size == b) || (dim == b && size == a))
          dim = size;
  });
  return node.withSizes(value, dims);
}

bool Carries::end(Node &node, Body &body, SmallVector<Value> &ends, size_t at, ArrayRef<int> deciding) {
  OpBuilder &builder = node.getGraph().getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&body.block);
  SmallVector<Value> next(ArrayRef(ends).slice(at, first.size())), sizes;
  SmallVector<Dims> rooms;
  for (size_t i = 0; i < next.size(); ++i)
    rooms.push_back(dimsOf(typeOf(i)));
  auto keepsForm = [&](size_t i) {
    return rooms[i].size() == dimsOf(next[i]).size() && elementOfValue(next[i]) == elementOfValue(first[i]);
  };
  for (size_t i = 0; i < next.size(); ++i)
    if (keepsForm(i))
      next[i] = withEqualSizes(node, body.block, next[i], rooms[i]);
  for (size_t i = 0; i < next.size(); ++i)
    for (size_t dim = 0; dim < rooms[i].size() && keepsForm(i); ++dim)
      if (rooms[i][dim] != dimsOf(next[i])[dim] &&
          llvm::none_of(changing, [&](auto &each) { return each.carry == int(i) && each.dim == int64_t(dim); }))
        found.push_back({int(i), int64_t(dim), {}, {}, {}});
  for (ChangingDim &each : changing) {
    if (!keepsForm(each.carry))
      continue;
    Dim after = dimsOf(next[each.carry])[each.dim];
    each.after = node.getGraph().getModel().mostOf(after);
    each.isExact = after.substitute({{each.name, each.room}}) == each.after;
    sizes.push_back(node.size(after, node.i64()));
  }
  hasEnded = true;
  if (isProbe)
    return node.refuse("a carried value changes its size"), false;
  for (size_t i = 0; i < next.size() && found.empty(); ++i)
    if (keepsForm(i))
      next[i] = node.padTo(next[i], rooms[i]);
  SmallVector<Type> types;
  for (size_t i = 0; i < next.size(); ++i)
    types.push_back(typeOf(i));
  if (node.failed() || !carriesKeepTheirTypes(node, types, next, body.graph.getProto(), 2, deciding))
    return false;
  llvm::copy(next, ends.begin() + at);
  ends.insert(ends.begin() + at + first.size(), sizes.begin(), sizes.end());
  return true;
}

void Carries::set(Node &node, ValueRange results, bool areAllSteps) const {
  for (size_t i = 0; i < first.size(); ++i) {
    Value value = results[i];
    for (auto [k, each] : llvm::enumerate(changing))
      if (size_t(each.carry) == i && node.wants(i) && !(areAllSteps && each.isExact))
        value = node.setDimSize(value, each.dim, results[first.size() + k], "n_" + node.output(i));
    node.set(i, value);
  }
}

// ---- Rooms

/// Refuses a dimension of a carry whose growth has no bound.
static void refuseGrowth(Node &node, const ChangingDim &each, ArrayRef<ChangingDim> all, const onnx::GraphProto &body) {
  auto nameOf = [&](const ChangingDim &dim) { return body.input(2 + dim.carry).name(); };
  std::map<std::string, Dim> names;
  for (const ChangingDim &other : all)
    names[other.room.str()] = Dim::named("n_" + nameOf(other));
  names[each.room.str()] = Dim::named("n");
  node.refuse("each step produces " + each.after.substitute(names).str() + " elements along axis " + Twine(each.dim) + " of '" +
              nameOf(each) + "' of n elements; expected growth by a bounded number of elements");
}

bool Carries::setRooms(Node &node, const onnx::GraphProto &body, const Dim &most) {
  std::map<std::string, Dim> rooms; // by placeholder
  for (bool hasMore = true; hasMore;) {
    hasMore = false;
    for (ChangingDim &each : changing) {
      Dim after = each.after.substitute(rooms), added = maxOf(after - each.room, Dim(0));
      if (rooms.count(each.room.str()) || after.isUnknown())
        continue;
      Dim start = dimsOf(first[each.carry])[each.dim], before = node.getGraph().getModel().mostOf(start), room;
      if (!hasPlaceholder(after)) {
        room = maxOf(before, after);
        each.isExact = false;
      } else if (!hasPlaceholder(added)) {
        room = before + added * most;
        each.isExact &= before == start && after == each.room + added;
        grows |= added != Dim(0);
      } else {
        continue;
      }
      rooms[each.room.str()] = room;
      hasMore = true;
    }
  }
  for (const ChangingDim &each : changing)
    if (auto room = rooms.find(each.room.str()); room == rooms.end() || room->second.isUnknown())
      return refuseGrowth(node, each, changing, body), false;
  for (ChangingDim &each : changing) {
    each.room = rooms.at(each.room.str());
    if (grows && most == Dim(0)) {
      std::string output = node.wants(each.carry) ? node.output(each.carry) + "=N" : "N";
      node.refuseData("'" + body.input(2 + each.carry).name() +
                          "' grows in each step, and the number of steps depends on "
                          "data; set an upper bound with --max-steps=" +
                          output,
                      {0, 1});
      return false;
    }
  }
  return true;
}
