#include "tools/lathe-lsp-server/Text.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>

using namespace llvm;
using namespace lathe::server;

static size_t startOfLine(StringRef text, unsigned line) {
  size_t place = 0;
  for (; line > 0; --line) {
    size_t end = text.find('\n', place);
    if (end == StringRef::npos)
      return text.size();
    place = end + 1;
  }
  return place;
}

/// True if a UTF-8 character begins here, rather than continues.
static bool begins(char byte) { return (byte & 0xc0) != 0x80; }

/// Returns the number of UTF-16 units of a character: two if it has four bytes.
static int unitsOf(char firstByte) { return (firstByte & 0xf8) == 0xf0 ? 2 : 1; }

size_t lathe::server::offsetOf(StringRef text, const lsp::Position &position) {
  size_t place = startOfLine(text, std::max(position.line, 0));
  for (int units = 0; place < text.size() && text[place] != '\n'; ++place) {
    if (!begins(text[place]))
      continue;
    if (units >= position.character)
      break;
    units += unitsOf(text[place]);
  }
  return place;
}

lsp::Position lathe::server::positionOf(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  size_t start = before.rfind('\n') == StringRef::npos ? 0 : before.rfind('\n') + 1;
  int units = 0;
  for (char byte : before.drop_front(start))
    units += begins(byte) ? unitsOf(byte) : 0;
  return lsp::Position(before.count('\n'), units);
}

lsp::Range lathe::server::rangeOf(StringRef text, Span span) {
  return lsp::Range(positionOf(text, span.begin), positionOf(text, span.end));
}

size_t lathe::server::offsetOfLine(StringRef text, unsigned line, unsigned column) {
  size_t start = startOfLine(text, std::max(line, 1u) - 1);
  size_t end = std::min(text.find('\n', start), text.size());
  return std::min(start + std::max(column, 1u) - 1, end);
}

static bool isOfWord(char c) { return isAlnum(c) || c == '_' || c == '.' || c == '$'; }
static bool isSign(char c) { return c == '%' || c == '@' || c == '#' || c == '!'; }

/// True for characters of a value's name; elsewhere they end a word.
static bool isOfValue(char c) { return isOfWord(c) || c == '-'; }

Span lathe::server::wordBefore(StringRef text, size_t place) {
  size_t begin = std::min(place, text.size()), end = begin;
  while (begin > 0 && isOfValue(text[begin - 1]))
    --begin;
  if (begin > 0 && text[begin - 1] == '%')
    return {begin - 1, end};
  begin = end;
  while (begin > 0 && isOfWord(text[begin - 1]))
    --begin;
  if (begin > 0 && isSign(text[begin - 1]))
    --begin;
  return {begin, end};
}

Span lathe::server::wordAt(StringRef text, size_t place) {
  Span word = wordBefore(text, place);
  if (word.begin == word.end && place < text.size() && isSign(text[place]))
    ++word.end;
  bool isValue = word.begin < word.end && text[word.begin] == '%';
  while (word.end < text.size() && (isValue ? isOfValue(text[word.end]) : isOfWord(text[word.end])))
    ++word.end;
  return word;
}

Edit::Edit(StringRef before, StringRef now) : before(before.size()), now(now.size()) {
  size_t shorter = std::min(now.size(), before.size());
  while (front < shorter && now[front] == before[front])
    ++front;
  while (back < shorter - front && now[now.size() - 1 - back] == before[before.size() - 1 - back])
    ++back;
}

std::optional<size_t> Edit::placeBefore(size_t place) const {
  if (place <= front)
    return place;
  if (place >= now - back)
    return place - now + before;
  return std::nullopt;
}
