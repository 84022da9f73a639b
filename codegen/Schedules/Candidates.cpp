#include "codegen/Schedules/Candidates.h"

using namespace mlir;
using namespace lathe;

void ParameterAlternatives::add(StringRef name, Attribute value) {
  if (fields.empty() || fields.back().name != name)
    fields.push_back({name.str(), {}});
  if (!llvm::is_contained(fields.back().values, value))
    fields.back().values.push_back(value);
}

void ParameterAlternatives::integers(StringRef name, int64_t value, int64_t least, int64_t most) {
  SmallVector<int64_t> others{value / 2, value * 2};
  if (value <= 16)
    others.append({value - 1, value + 1, value * 2 / 3, value * 3 / 2});
  if (value == 0) // often stands for no limit
    others.append({16, 128, 1024});
  for (int64_t other : others)
    if (other != value && other >= least && other <= most)
      add(name, builder.getI64IntegerAttr(other));
}

static DictionaryAttr with(DictionaryAttr parameters, StringRef name, Attribute value) {
  NamedAttrList list(parameters);
  list.set(name, value);
  return list.getDictionary(parameters.getContext());
}

SmallVector<DictionaryAttr> ParameterAlternatives::around(DictionaryAttr chosen) const {
  SmallVector<DictionaryAttr> changed;
  for (const Field &field : fields)
    for (Attribute value : field.values)
      changed.push_back(with(chosen, field.name, value));
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
  return changed;
}
