// Expands lines whose ops have regions: branches and loops. At first only outer values have types in them; those of carries,
// slices and results follow.
#include "dialects/Lathe/IR/Lathe.h"
#include "dialects/Lathe/Std/Expander.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lathe;
using namespace lathe::composites;

/// A group `carry(%a = %x, %b... = %y...)`.
struct Expander::Bindings {
  SmallVector<std::string> inside; // names of block arguments
  SmallVector<RankedTensorType> types;
  SmallVector<std::string> written;
  std::map<std::string, size_t> lists;
  std::string text;
};

/// Parses the group at the start of a head, if there is one.
FailureOr<Expander::Bindings> Expander::takeBindings(const Line &line, StringRef &head, StringRef keyword) {
  Bindings bindings;
  head = head.ltrim();
  if (!head.starts_with((keyword + "(").str()))
    return bindings;
  auto [group, rest] = head.drop_front(keyword.size() + 1).split(')');
  head = rest;
  SmallVector<std::string> outside;
  for (StringRef part : partsOf(group)) {
    auto [inner, outer] = part.split(" = ");
    inner = inner.drop_front();
    if (inner.consume_back("...")) {
      std::string name = outer.drop_front().drop_back(3).str();
      bindings.lists[inner.str()] = sight.scope.lists[name];
      for (size_t i = 0; i < sight.scope.lists[name]; ++i) {
        bindings.inside.push_back(inner.str() + "_" + std::to_string(i));
        outside.push_back(name + "_" + std::to_string(i));
      }
    } else {
      bindings.inside.push_back(inner.str());
      outside.push_back(outer.drop_front().str());
    }
  }
  for (auto [inner, outer] : llvm::zip_equal(bindings.inside, outside)) {
    if (!sight.scope.values.count(outer))
      return fail(line) << "there is no value %" << outer, failure();
    bindings.types.push_back(sight.scope.values[outer]);
    bindings.written.push_back(fresh(inner, line.number));
    bindings.text += (bindings.text.empty() ? "" : ", ") + bindings.written.back() + " = " + sight.written[outer] + " : " +
                     typeText(bindings.types.back());
  }
  if (!bindings.text.empty())
    bindings.text = " " + keyword.str() + "(" + bindings.text + ")";
  return bindings;
}

static RankedTensorType withoutDim(RankedTensorType type, int64_t dim) {
  SmallVector<int64_t> shape(type.getShape());
  if (dim < int64_t(shape.size()))
    shape.erase(shape.begin() + dim);
  return RankedTensorType::get(shape, type.getElementType());
}

static Type withDim(Type type, int64_t dim, int64_t extent) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.insert(shape.begin() + std::min<int64_t>(dim, shape.size()), extent);
  return RankedTensorType::get(shape, tensor.getElementType());
}

/// Returns the number after a word of a head.
static std::optional<int64_t> numberBehind(StringRef head, StringRef word) {
  int64_t number;
  StringRef digits = head.split((" " + word + " ").str()).second.split(' ').first;
  return digits.getAsInteger(10, number) ? std::nullopt : std::optional(number);
}

/// Expands a line with its regions. Results have the types of the carries, or of the last region's yields.
LogicalResult Expander::expandRegions(const Line &line, StringRef text) {
  auto [left, head] = text.split(" = ");
  StringRef op = head.split(' ').first;
  head = head.drop_front(op.size());
  FailureOr<Bindings> carry = takeBindings(line, head, "carry");
  FailureOr<Bindings> over = takeBindings(line, head, "over");
  if (failed(carry) || failed(over) || failed(valuesIn(line, head)))
    return failure();
  std::string rest = " " + head.trim().str();
  int64_t dim = numberBehind(rest, "dim").value_or(0);
  int64_t steps = numberBehind(rest, "trip").value_or(ShapedType::kDynamic);
  if (!over->types.empty() && dim < over->types.front().getRank())
    steps = over->types.front().getDimSize(dim);
  for (RankedTensorType &type : over->types)
    type = withoutDim(type, dim);

  Sight outside = sight;
  std::string before = std::exchange(body, ""), regions;
  for (const Section &section : line.sections) {
    for (const Bindings &bindings : {*carry, *over}) {
      for (auto [i, name] : llvm::enumerate(bindings.inside)) {
        sight.scope.values[name] = bindings.types[i];
        sight.written[name] = bindings.written[i];
        sight.given.erase(name);
      }
      for (auto [name, count] : bindings.lists)
        sight.scope.lists[name] = count;
    }
    yielded.clear();
    collected = 0;
    if (failed(expandLines(section.lines)))
      return failure();
    regions += (&section == &line.sections.front() ? "" : section.head) + " {\n" + std::exchange(body, "") + "  } ";
    sight = outside;
  }
  body = before;

  SmallVector<Type> types(carry->types.begin(), carry->types.end());
  if (op == "lathe.if" || op == "lathe.checkpoint")
    types = yielded;
  for (Type type : ArrayRef(yielded).take_back(op == "lathe.scan" ? collected : 0))
    types.push_back(withDim(type, dim, steps));
  std::string statement = (op + carry->text + over->text).str() + (rest == " " ? "" : rewritten(rest));
  if (op != "lathe.while")
    statement += " -> (" + typeText(types) + ")";
  statement += regions;
  SmallVector<std::string> visible;
  for (const auto &[name, type] : sight.scope.values)
    visible.push_back(name);
  FailureOr<SmallVector<Type>> checked = typesOf(line, statement, visible, /*verified=*/true);
  return failed(checked) ? failure() : give(line, left, StringRef(statement).rtrim(), *checked);
}

/// Expands `lathe.yield carry(%a) collect(%b)`, `lathe.yield %a`, `lathe.condition %go`.
LogicalResult Expander::expandEnd(const Line &line, StringRef text) {
  yielded.clear();
  collected = 0;
  std::string end;
  while (true) {
    auto [before, after] = text.split('(');
    bool grouped = before.size() != text.size();
    auto [group, rest] = grouped ? after.split(')') : std::pair(before, StringRef());
    FailureOr<SmallVector<std::string>> names = valuesIn(line, group);
    if (failed(names))
      return failure();
    SmallVector<Type> types = llvm::map_to_vector(*names, [&](auto &name) -> Type { return sight.scope.values[name]; });
    llvm::append_range(yielded, types);
    if (!grouped) {
      end += rewritten(group) + (types.empty() ? "" : " : " + typeText(types));
      break;
    }
    collected = before.trim().ends_with("collect") ? types.size() : 0;
    std::string values;
    for (auto [name, type] : llvm::zip_equal(*names, types))
      values += (values.empty() ? "" : ", ") + sight.written[name] + " : " + typeText(type);
    end += before.str() + "(" + values + ")";
    if (rest.trim().empty())
      break;
    text = rest;
  }
  body += "  " + end + "\n";
  return success();
}
