// The second part of what generated C++ headers have in common: how calls find sizes, check arguments and report errors.
#include "codegen/Emit/CppSupport.h"

const char *const lathe::kCppCalls = R"(
/// A size that may be unknown. Arithmetic wraps around; entries refuse sizes that are out of bounds.
class Size {
public:
  Size() = default;
  Size(std::int64_t size) : number(size), known(true) {}
  std::int64_t value() const { return number; }
  bool isKnown() const { return known; }
  /// Takes an extent of a span, unless the size is known already.
  template <typename T, std::size_t Rank>
  void take(const Span<T, Rank> &span, std::size_t dimension) {
    if (!known && !span.isFlat())
      *this = Size(span.extent(dimension));
  }
  /// Computes the size as the extent of a flat span whose other extents are known, if their product divides its number of elements.
  template <typename T, std::size_t Rank>
  void solve(const Span<T, Rank> &span, std::size_t dimension, const std::array<Size, Rank> &extents) {
    if (known || !span.isFlat())
      return;
    Size others(1);
    for (std::size_t i = 0; i < Rank; ++i)
      if (i != dimension)
        others = others * extents[i];
    const auto count = static_cast<std::int64_t>(span.size());
    if (others.known && others.number > 0 && count % others.number == 0)
      *this = Size(count / others.number);
  }
  friend Size operator+(Size a, Size b) { return a.with(b, a.bits() + b.bits()); }
  friend Size operator-(Size a, Size b) { return a.with(b, a.bits() - b.bits()); }
  friend Size operator*(Size a, Size b) { return a.with(b, a.bits() * b.bits()); }
  std::uint64_t bits() const { return static_cast<std::uint64_t>(number); }
  /// Returns a result that is known if this size and another one are.
  Size with(Size other, std::uint64_t result) const {
    return known && other.known ? Size(static_cast<std::int64_t>(result)) : Size();
  }

private:
  std::int64_t number = 0;
  bool known = false;
};

// The formulas of sizes in graphs.
inline Size floor_div(Size a, Size b) {
  const std::int64_t by = b.value() < 1 ? 1 : b.value();
  const std::int64_t quotient = a.value() / by - (a.value() % by < 0 ? 1 : 0);
  return b.value() < 1 ? Size() : a.with(b, static_cast<std::uint64_t>(quotient));
}
inline Size ceil_div(Size a, Size b) { return Size(0) - floor_div(Size(0) - a, b); }
inline Size max(Size a, Size b) { return a.with(b, a.value() < b.value() ? b.bits() : a.bits()); }
inline Size min(Size a, Size b) { return a.with(b, b.value() < a.value() ? b.bits() : a.bits()); }
inline Size broadcast(Size a, Size b) { return a.with(b, a.value() == 1 ? b.bits() : a.bits()); }
inline Size ceil_sqrt(Size a) {
  std::uint64_t low = 0, high = std::uint64_t(1) << 31; // the root is in [low, high]
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (middle * middle < a.bits())
      low = middle + 1;
    else
      high = middle;
  }
  return a.value() < 0 ? Size() : a.with(a, low);
}

namespace detail {

/// Returns "net.mlir:3: error: predict: ", as far as the record has it.
inline std::string placeOf(const lathe_error &error) {
  std::string text = error.file ? error.file : "";
  if (error.line > 0)
    text += ":" + std::to_string(error.line);
  text += text.empty() ? "error: " : ": error: ";
  return error.function ? text + error.function + ": " : text;
}

/// Returns a line about a failed call, for programs without Lathe's runtime, whose texts are better.
inline std::string summaryOf(const lathe_error &error) {
  std::string text = placeOf(error) + "status " + std::to_string(static_cast<int>(error.status));
  for (const char *word : {error.op, error.argument, error.other})
    if (word)
      text += std::string(", ") + word;
  return text + ": expected " + std::to_string(error.expected) + ", got " + std::to_string(error.actual);
}

/// Functions that may fail return this: a status, or nothing where they throw an exception.
#ifdef LATHE_NO_EXCEPTIONS
using Result = lathe_status;
#else
using Result = void;
#endif

/// Ends a function that failed.
inline Result fail(Error &last, Error error) {
#ifdef LATHE_NO_EXCEPTIONS
  last = std::move(error);
  return last.status();
#else
  static_cast<void>(last);
  throw error;
#endif
}
/// Ends a function that did not fail.
inline Result succeed() {
#ifdef LATHE_NO_EXCEPTIONS
  return LATHE_OK;
#endif
}
/// Ends a constructor, or a function that returns an object, that failed.
inline void failConstruction(Error &last, Error error) {
#ifdef LATHE_NO_EXCEPTIONS
  last = std::move(error);
#else
  static_cast<void>(fail(last, std::move(error)));
#endif
}

/// Collects why the arguments of a call do not fit.
class Misfit {
public:
  Misfit(const char *function, const char *file, std::int32_t line) {
    error.status = LATHE_ERROR_DIMENSION;
    error.function = function;
    error.file = file;
    error.line = line;
    error.op = "func.func";
  }
  /// Returns true if an argument determines the size of a name.
  bool isKnown(const char *name, Size size) {
    if (size.isKnown())
      return true;
    error.argument = name;
    text = std::string("the arguments do not determine the size of dimension '") + name + "'; pass spans with extents";
    return false;
  }
  /// Returns true if a span has these extents.
  template <typename T, std::size_t Rank>
  bool fits(const char *name, const char *type, const Span<T, Rank> &span, const std::array<Size, Rank> &extents) {
    const auto count = static_cast<std::int64_t>(span.size());
    std::int64_t known = 1; // the product of the known extents
    bool same = true, isWhole = true;
    for (std::size_t i = 0; i < Rank; ++i) {
      isWhole = isWhole && extents[i].isKnown();
      if (extents[i].isKnown())
        known = (Size(known) * extents[i]).value();
      const bool differs = !span.isFlat() && !(extents[i].isKnown() && extents[i].value() == span.extent(i));
      if (differs && same)
        error.expected = extents[i].value(), error.actual = span.extent(i);
      same = same && !differs;
    }
    if (span.isFlat() && (isWhole ? count != known : known > 0 && count % known != 0)) {
      same = false;
      error.expected = known, error.actual = count;
    }
    if (same)
      return true;
    error.argument = name;
    text = std::string("argument '") + name + "' has " + shapeOf(span) + ", expected " + type;
    return false;
  }
  /// Returns what does not fit. `sizes` are those of the names in the types.
  Error failure(std::initializer_list<std::pair<const char *, Size>> sizes) const {
    std::string with;
    for (const auto &[name, size] : sizes)
      if (size.isKnown())
        with += (with.empty() ? " with " : ", ") + (std::string(name) + " = ") + std::to_string(size.value());
    return Error(placeOf(error) + text + with, error);
  }

private:
  template <typename T, std::size_t Rank>
  static std::string shapeOf(const Span<T, Rank> &span) {
    if (span.isFlat())
      return std::to_string(span.size()) + " elements";
    std::string shape = "the extents ";
    for (std::int64_t extent : span.extents())
      shape += "[" + std::to_string(extent) + "]";
    return shape;
  }
  lathe_error error = {};
  std::string text;
};

/// The pointers of C arguments.
template <typename T>
T *raw(T *data) { return data; }
inline std::uint16_t *raw(f16 *data) { return reinterpret_cast<std::uint16_t *>(data); }
inline std::uint16_t *raw(bf16 *data) { return reinterpret_cast<std::uint16_t *>(data); }
inline std::uint8_t *raw(bool *data) { return reinterpret_cast<std::uint8_t *>(data); }
inline const std::uint16_t *raw(const f16 *data) { return reinterpret_cast<const std::uint16_t *>(data); }
inline const std::uint16_t *raw(const bf16 *data) { return reinterpret_cast<const std::uint16_t *>(data); }
inline const std::uint8_t *raw(const bool *data) { return reinterpret_cast<const std::uint8_t *>(data); }
template <typename T, std::size_t Rank>
auto raw(const Span<T, Rank> &span) { return raw(span.data()); }

/// Returns zeroed memory that is aligned to 64 bytes; null if there is none.
inline std::shared_ptr<void> allocate(std::size_t size) {
  constexpr std::align_val_t alignment{64};
  void *memory = ::operator new(size, alignment, std::nothrow);
  if (!memory)
    return nullptr;
  std::memset(memory, 0, size);
  return std::shared_ptr<void>(memory, [](void *data) { ::operator delete(data, std::align_val_t{64}); });
}

/// Returns the record of memory that could not be allocated.
inline lathe_error outOfMemory(const char *function, std::size_t size) {
  lathe_error error = {};
  error.status = LATHE_ERROR_OUT_OF_MEMORY;
  error.function = function;
  error.expected = static_cast<std::int64_t>(size);
  return error;
}

/// Returns the record of a file that cannot be read; its strings live as long as `path`.
inline lathe_error unreadable(const char *path) {
  lathe_error error = {};
  error.status = LATHE_ERROR_IO;
  error.file = path;
  error.op = "read";
  error.actual = errno;
  return error;
}

/// Returns the address of a variable in the state.
inline void *at(void *state, std::size_t offset) { return static_cast<char *>(state) + offset; }

} // namespace detail
} // namespace LATHE_CPP_MODE
} // namespace lathe
#elif LATHE_CPP_INTERFACE != 1
#error "this header and one that was included before come from different versions of Lathe"
#endif
)";

const char *const lathe::kCppRuntime = R"(#ifndef LATHE_CPP_RUNTIME
#define LATHE_CPP_RUNTIME
#include <lathe/runtime.h>
namespace lathe {
inline namespace LATHE_CPP_MODE {
namespace detail {

/// Returns the text of a failed call.
inline std::string textOf(const lathe_error &error) {
  std::array<char, 1024> text{};
  lathe_error_format(&error, text.data(), text.size());
  return text.data();
}

/// Returns the error that a record describes.
inline Error errorOf(const lathe_error &error) { return Error(textOf(error), error); }

/// Returns zeroed memory for the state or the workspace of calls with a context, on its device if it has one; null if there is
/// none.
inline std::shared_ptr<void> allocate(std::size_t size, const std::shared_ptr<lathe_context> &context) {
  if (!context || !context->device)
    return allocate(size);
  void *memory = lathe_context_alloc(context.get(), size);
  if (!memory)
    return nullptr;
  return std::shared_ptr<void>(memory, [context](void *data) { lathe_context_free(context.get(), data); });
}

/// Starts `threads` threads, 0 for one on each core. A single one is the calling thread, which needs no context.
inline std::shared_ptr<lathe_context> startThreads(int threads, Error &last) {
  if (threads == 1)
    return nullptr;
  lathe_context *context = lathe_context_create(threads);
  if (!context)
    failConstruction(last, errorOf(outOfMemory("lathe_context_create", 0)));
  return std::shared_ptr<lathe_context>(context, lathe_context_destroy);
}

/// Refers to a context that the application owns.
inline std::shared_ptr<lathe_context> borrowed(lathe_context *context) {
  return std::shared_ptr<lathe_context>(context, [](lathe_context *) {});
}

/// Checks that calls with a context find the variables where those with `owner` keep them: in the host's memory or a device's.
inline void checkSharing(const lathe_context *owner, const lathe_context *context, Error &last) {
  const bool isOnDevice = owner && owner->device;
  if (isOnDevice == (context && context->device))
    return;
  lathe_error error = {};
  error.status = LATHE_ERROR_NO_DEVICE;
  error.function = "shared";
  failConstruction(last, Error(isOnDevice ? "error: shared: the variables are in a device's memory; pass another context of it"
                                          : "error: shared: the variables are in the host's memory; pass a number of threads",
                               error));
}

/// Checks that the object and the runtime agree with this header.
inline void checkVersions(const lathe_module_info &info, const lathe_context *context, Error &last) {
  for (std::uint32_t version : {info.abi_version, context ? context->abi_version : info.abi_version}) {
    if (version == LATHE_ABI_VERSION)
      continue;
    lathe_error error = {};
    error.status = LATHE_ERROR_ABI;
    error.expected = LATHE_ABI_VERSION;
    error.actual = static_cast<std::int64_t>(version);
    failConstruction(last, errorOf(error));
  }
}

/// Writes the variables as a safetensors file.
inline Result saveState(const char *path, const lathe_module_info &info, const std::shared_ptr<void> &state,
                              lathe_context *context, Error &last) {
  lathe_error error = {};
  std::shared_ptr<void> host = context && context->device ? allocate(info.state_size) : state;
  if (!host)
    return fail(last, errorOf(outOfMemory("save_state", info.state_size)));
  lathe_status status = LATHE_OK;
  if (host != state)
    status = lathe_context_download(context, host.get(), state.get(), info.state_size, &error);
  if (status == LATHE_OK)
    status = lathe_state_save(path, &info, host.get(), &error);
  return status == LATHE_OK ? succeed() : fail(last, errorOf(error));
}

/// Reads the variables from a safetensors file; all change, or none.
inline Result loadState(const char *path, const lathe_module_info &info, const std::shared_ptr<void> &state,
                              lathe_context *context, Error &last) {
  lathe_error error = {};
  std::shared_ptr<void> host = context && context->device ? allocate(info.state_size) : state;
  if (!host)
    return fail(last, errorOf(outOfMemory("load_state", info.state_size)));
  lathe_status status = lathe_state_load(path, &info, host.get(), &error);
  if (status == LATHE_OK && host != state)
    status = lathe_context_upload(context, state.get(), host.get(), info.state_size, &error);
  return status == LATHE_OK ? succeed() : fail(last, errorOf(error));
}
} // namespace detail
} // namespace LATHE_CPP_MODE
} // namespace lathe
#endif
)";
