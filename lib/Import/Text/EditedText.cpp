#include "lib/Import/Text/EditedText.h"

using namespace mlir;
using namespace lathe;

void EditedText::replace(size_t begin, size_t end, std::string text) {
  auto first = edits.lower_bound(begin), last = edits.lower_bound(end);
  std::string inserted = first != edits.end() && first->first == begin && begin < end ? first->second.inserted : "";
  edits.erase(first, last);
  edits[begin] = {end, std::move(inserted), std::move(text)};
}

void EditedText::insert(size_t place, std::string text) {
  edits.try_emplace(place, Edit{place, "", ""}).first->second.inserted = std::move(text);
}

void EditedText::append(StringRef text, size_t origin, bool isNew) {
  if (text.empty())
    return;
  parts.push_back({rendered.size(), origin, isNew});
  rendered += text;
}

const std::string &EditedText::render() {
  rendered.clear();
  parts.clear();
  size_t place = 0;
  for (auto &[begin, edit] : edits) {
    append(original.slice(place, begin), place, /*isNew=*/false);
    append(edit.inserted, begin, /*isNew=*/true);
    append(edit.text, begin, /*isNew=*/true);
    place = edit.end;
  }
  append(original.drop_front(std::min(place, original.size())), place, /*isNew=*/false);
  lines = {0};
  for (size_t i = 0; i < rendered.size(); ++i)
    if (rendered[i] == '\n')
      lines.push_back(i + 1);
  return rendered;
}

size_t EditedText::offsetOf(unsigned line, unsigned column) const {
  if (line == 0)
    return 0;
  size_t start = line <= lines.size() ? lines[line - 1] : rendered.size();
  return std::min(start + (column ? column - 1 : 0), rendered.size());
}

const EditedText::Part &EditedText::partAt(size_t offset) const {
  auto next = llvm::upper_bound(parts, offset, [](size_t place, const Part &part) { return place < part.begin; });
  return next == parts.begin() ? *next : *std::prev(next);
}

size_t EditedText::toOriginal(unsigned line, unsigned column) const {
  if (parts.empty())
    return 0;
  size_t offset = offsetOf(line, column);
  const Part &part = partAt(offset);
  return std::min(part.isNew ? part.origin : part.origin + (offset - part.begin), original.size());
}

bool EditedText::isOfEdit(unsigned line, unsigned column) const {
  return !parts.empty() && partAt(offsetOf(line, column)).isNew;
}

std::pair<unsigned, unsigned> lathe::lineAndColumn(StringRef text, size_t place) {
  StringRef before = text.take_front(place);
  size_t line = before.rfind('\n');
  return {before.count('\n') + 1, place - (line == StringRef::npos ? 0 : line + 1) + 1};
}
