// A std::string as LLVM's output stream for objects.
#ifndef LATHE_SUPPORT_STRINGSTREAM_H
#define LATHE_SUPPORT_STRINGSTREAM_H

#include "llvm/Support/raw_ostream.h"
#include <string>

namespace lathe {

/// Appends to the string and overwrites its contents. The string is complete after flush().
class StringStream final : public llvm::raw_pwrite_stream {
public:
  explicit StringStream(std::string &text) : text(text) { SetBufferSize(kBuffer); }
  ~StringStream() override { flush(); }

private:
  static constexpr size_t kBuffer = 1 << 16;

  void write_impl(const char *data, size_t size) override { text.append(data, size); }
  void pwrite_impl(const char *data, size_t size, uint64_t offset) override {
    flush();
    text.replace(offset, size, data, size);
  }
  uint64_t current_pos() const override { return text.size(); }

  std::string &text;
};

} // namespace lathe

#endif
