// A text with replaced parts, which maps each place of the new text to the original.
#ifndef LATHE_IMPORT_TEXT_EDITEDTEXT_H
#define LATHE_IMPORT_TEXT_EDITEDTEXT_H

#include "mlir/Support/LLVM.h"
#include <map>
#include <string>
#include <vector>

namespace lathe {

class EditedText {
public:
  explicit EditedText(llvm::StringRef original) : original(original) {}

  /// Replaces original[begin, end), including earlier replacements in it.
  void replace(size_t begin, size_t end, std::string text);
  /// Inserts `text` before original[place], instead of an earlier insertion there.
  void insert(size_t place, std::string text);

  /// Returns the new text, valid until the next call.
  const std::string &render();
  /// Returns the original place of a line and column, both from 1, in the last rendered text.
  size_t toOriginal(unsigned line, unsigned column) const;
  /// True if that place is in inserted text.
  bool isOfEdit(unsigned line, unsigned column) const;

private:
  struct Edit {
    size_t end;
    std::string inserted, text;
  };
  /// A part of the new text that begins at `begin`. It comes from original[origin, ...) or, if it `isNew`, replaces that.
  struct Part {
    size_t begin, origin;
    bool isNew;
  };
  void append(llvm::StringRef text, size_t origin, bool isNew);
  size_t offsetOf(unsigned line, unsigned column) const;
  const Part &partAt(size_t offset) const;

  llvm::StringRef original;
  std::map<size_t, Edit> edits; // by position
  std::string rendered;
  std::vector<Part> parts;
  std::vector<size_t> lines;
};

/// Returns the line and column of a place in a text, both from 1.
std::pair<unsigned, unsigned> lineAndColumn(llvm::StringRef text, size_t place);

} // namespace lathe

#endif
