// Places in a document: bytes here, lines and UTF-16 units in the protocol.
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

/// The byte at a position; a position behind a line or the text is the end of it.
size_t offsetOf(llvm::StringRef text, const llvm::lsp::Position &position);
llvm::lsp::Position positionOf(llvm::StringRef text, size_t offset);
llvm::lsp::Range rangeOf(llvm::StringRef text, Span span);
/// The byte at a line and a column of bytes, both counted from 1.
size_t offsetOfLine(llvm::StringRef text, unsigned line, unsigned column);

/// The word that touches a place, with a sign in front of it: `lathe.std.relu`, `%x`, `@loss`. Empty between words.
Span wordAt(llvm::StringRef text, size_t place);
/// The part of it in front of the place.
Span wordBefore(llvm::StringRef text, size_t place);

/// The edit between two texts: they differ in one stretch, which was replaced.
class Edit {
public:
  Edit(llvm::StringRef before, llvm::StringRef now);
  /// Returns where a position of the new text was in the old one, or nullopt inside the stretch.
  std::optional<size_t> placeBefore(size_t place) const;

private:
  size_t before, now, front = 0, back = 0; // sizes of both, and of what is alike at both ends
};

} // namespace lathe::server

#endif
