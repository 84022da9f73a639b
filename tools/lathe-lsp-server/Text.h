// Places in a document: byte offsets here, lines and UTF-16 units in the protocol.
#ifndef LATHE_TOOLS_LSP_TEXT_H
#define LATHE_TOOLS_LSP_TEXT_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LSP/Protocol.h"

namespace lathe::server {

/// Bytes [begin, end) of a text.
struct Span {
  size_t begin = 0, end = 0;

  bool contains(size_t place) const { return begin <= place && place < end; }
  llvm::StringRef in(llvm::StringRef text) const { return text.slice(begin, end); }
};

/// Returns the byte at a position. A position past the end of a line or of the text becomes that end.
size_t offsetOf(llvm::StringRef text, const llvm::lsp::Position &position);
llvm::lsp::Position positionOf(llvm::StringRef text, size_t offset);
llvm::lsp::Range rangeOf(llvm::StringRef text, Span span);
/// Returns the byte at a line and a column of bytes, both counted from 1.
size_t offsetOfLine(llvm::StringRef text, unsigned line, unsigned column);

/// Returns the word that touches a place, including a leading sign: `lathe.std.relu`, `%x`, `@loss`. Empty between words.
Span wordAt(llvm::StringRef text, size_t place);
/// Returns the part of the word before the place.
Span wordBefore(llvm::StringRef text, size_t place);

/// The difference of two texts: one stretch was replaced.
class Edit {
public:
  Edit(llvm::StringRef before, llvm::StringRef now);
  /// Returns the old position of a position in the new text, or nullopt inside the stretch.
  std::optional<size_t> placeBefore(size_t place) const;

private:
  size_t before, now, front = 0, back = 0; // sizes of both texts, and of their common beginning and end
};

} // namespace lathe::server

#endif
