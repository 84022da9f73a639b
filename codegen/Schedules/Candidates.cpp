#include "codegen/Schedules/Candidates.h"

using namespace mlir;
using namespace lathe;

void ParameterAlternatives::add(StringRef name, Attribute value) {
  if (fields.empty() || fields.back().name != name)
    fields.push_back({name.str(), {}});
  if (!llvm::is_contained(fields.back().values, value))
    fields.back().values.push_back(value);
}

/// Returns other numbers within the range: half, twice and near ones.
static SmallVector<int64_t> numbersAround(int64_t value, int64_t least, int64_t most) {
  SmallVector<int64_t> others{value / 2, value * 2};
  if (value <= 16)
    others.append({value - 1, value + 1, value * 2 / 3, value * 3 / 2});
  if (value == 0) // often stands for no limit
    others.append({16, 128, 1024});
  llvm::erase_if(others, [&](int64_t other) { return other == value || other < least || other > most; });
  return others;
}

void ParameterAlternatives::integers(StringRef name, int64_t value, int64_t least, int64_t most) {
  for (int64_t other : numbersAround(value, least, most))
    add(name, builder.getI64IntegerAttr(other));
}

/// Adds lists with one other entry, with all entries alike, and with a factor of two moved from one entry to another, which
/// keeps their product: the boxes of a tile.
void ParameterAlternatives::list(StringRef name, ArrayRef<int64_t> values, int64_t least, int64_t most) {
  auto addWith = [&](function_ref<void(MutableArrayRef<int64_t>)> change) {
    SmallVector<int64_t> changed(values);
    change(changed);
    if (llvm::all_of(changed, [&](int64_t value) { return value >= least && value <= most; }) && ArrayRef(changed) != values)
      add(name, builder.getDenseI64ArrayAttr(changed));
  };
  for (size_t i = 0; i < values.size(); ++i) {
    for (int64_t other : numbersAround(values[i], least, most)) {
      addWith([&](MutableArrayRef<int64_t> all) { all[i] = other; });
      addWith([&](MutableArrayRef<int64_t> all) { llvm::fill(all, other); });
    }
    for (size_t j = 0; j < values.size(); ++j)
      if (i != j && values[j] % 2 == 0)
        addWith([&](MutableArrayRef<int64_t> all) {
          all[i] *= 2;
          all[j] /= 2;
        });
  }
  lists.push_back({name.str(), SmallVector<int64_t>(values), least});
}

static DictionaryAttr with(DictionaryAttr parameters, StringRef name, Attribute value) {
  NamedAttrList list(parameters);
  list.set(name, value);
  return list.getDictionary(parameters.getContext());
}

/// Adds tiles with other rows and other vectors.
void ParameterAlternatives::aroundTiles(DictionaryAttr chosen, SmallVectorImpl<DictionaryAttr> &changed) const {
  for (const Field &rows : fields) {
    StringRef tile = rows.name;
    if (!tile.consume_back("rows"))
      continue;
    for (const Field &vectors : fields)
      if (vectors.name == (tile + "vectors").str())
        for (Attribute row : rows.values)
          for (Attribute vector : vectors.values)
            changed.push_back(with(with(chosen, rows.name, row), vectors.name, vector));
  }
}

/// Adds lists without one of their values, and with another value in the first place.
void ParameterAlternatives::aroundPlaces(DictionaryAttr chosen, SmallVectorImpl<DictionaryAttr> &changed) const {
  constexpr int64_t kMostTried = 32; // numbers of values: kernels rarely have more
  mlir::Builder builder(chosen.getContext());
  for (const List &values : lists) {
    auto places = llvm::find_if(lists, [&](const List &other) { return other.name == values.name + "_in"; });
    if (places == lists.end() || places->values.size() != values.values.size())
      continue;
    auto addWith = [&](function_ref<void(SmallVectorImpl<int64_t> &, SmallVectorImpl<int64_t> &)> change) {
      SmallVector<int64_t> numbers(values.values), in(places->values);
      change(numbers, in);
      DictionaryAttr first = with(chosen, values.name, builder.getDenseI64ArrayAttr(numbers));
      changed.push_back(with(first, places->name, builder.getDenseI64ArrayAttr(in)));
    };
    for (size_t i = 0; i < values.values.size(); ++i)
      addWith([&](auto &numbers, auto &in) {
        numbers.erase(numbers.begin() + i);
        in.erase(in.begin() + i);
      });
    for (int64_t number = 0; number < kMostTried; ++number)
      if (!llvm::is_contained(values.values, number))
        addWith([&](auto &numbers, auto &in) {
          size_t at = llvm::lower_bound(numbers, number) - numbers.begin();
          numbers.insert(numbers.begin() + at, number);
          in.insert(in.begin() + at, places->least);
        });
  }
}

SmallVector<DictionaryAttr> ParameterAlternatives::around(DictionaryAttr chosen) const {
  SmallVector<DictionaryAttr> changed;
  for (const Field &field : fields)
    for (Attribute value : field.values)
      changed.push_back(with(chosen, field.name, value));
  aroundTiles(chosen, changed);
  aroundPlaces(chosen, changed);
  return changed;
}
