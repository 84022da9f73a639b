// The first part of what generated C++ headers have in common: numbers, spans and errors.
#include "codegen/Emit/CppSupport.h"

const char *const lathe::kCppTypes = R"(#ifndef LATHE_CPP_INTERFACE
#define LATHE_CPP_INTERFACE 1
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

// With LATHE_NO_EXCEPTIONS, which holds by itself where the compiler has none, functions return a status instead of throwing.
#if !defined(LATHE_NO_EXCEPTIONS) && !defined(__cpp_exceptions) && !defined(__EXCEPTIONS)
#define LATHE_NO_EXCEPTIONS
#endif
#ifdef LATHE_NO_EXCEPTIONS
#define LATHE_CPP_MODE returning
#define LATHE_RESULT [[nodiscard]] lathe_status
#else
#define LATHE_CPP_MODE throwing
#define LATHE_RESULT void
#endif

namespace lathe {
inline namespace LATHE_CPP_MODE {

/// A number of 16 bits as IEEE 754 defines it.
struct f16 {
  std::uint16_t bits = 0;
  f16() = default;
  /// Rounds to nearest, ties to even.
  explicit f16(float value) {
    std::uint32_t u = 0;
    std::memcpy(&u, &value, sizeof u);
    const std::uint32_t sign = (u >> 16) & 0x8000u, size = u & 0x7fffffffu;
    std::uint32_t half = 0;
    if (size > 0x7f800000u) {
      half = 0x7e00u; // a NaN
    } else if (size >= 0x477ff000u) {
      half = 0x7c00u; // rounds to infinity
    } else if (size >= 0x38800000u) {
      half = (size - 0x38000000u + 0xfffu + ((size >> 13) & 1u)) >> 13;
    } else if (size > 0x33000000u) { // a subnormal number
      const std::uint32_t shift = 126u - (size >> 23), digits = (size & 0x7fffffu) | 0x800000u;
      const std::uint32_t rest = digits & ((1u << shift) - 1u), middle = 1u << (shift - 1u);
      half = digits >> shift;
      half += rest > middle || (rest == middle && (half & 1u)) ? 1u : 0u;
    }
    bits = static_cast<std::uint16_t>(sign | half);
  }
  explicit operator float() const {
    const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = (bits >> 10) & 0x1fu, digits = bits & 0x3ffu;
    std::uint32_t u = sign | (exponent + 112u) << 23 | digits << 13;
    if (exponent == 0x1fu)
      u = sign | 0x7f800000u | digits << 13;
    float value = 0;
    if (exponent == 0) { // zero, or a subnormal number
      value = static_cast<float>(digits) * 5.9604644775390625e-8f;
      return sign ? -value : value;
    }
    std::memcpy(&value, &u, sizeof value);
    return value;
  }
};

/// The upper 16 bits of a float.
struct bf16 {
  std::uint16_t bits = 0;
  bf16() = default;
  /// Rounds to nearest, ties to even.
  explicit bf16(float value) {
    std::uint32_t u = 0;
    std::memcpy(&u, &value, sizeof u);
    const bool isNan = (u & 0x7fffffffu) > 0x7f800000u;
    bits = static_cast<std::uint16_t>((isNan ? u | 0x400000u : u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  explicit operator float() const {
    const std::uint32_t u = static_cast<std::uint32_t>(bits) << 16;
    float value = 0;
    std::memcpy(&value, &u, sizeof value);
    return value;
  }
};

template <typename T, std::size_t Rank>
class Span;

namespace detail {
template <typename T>
constexpr bool isSpan = false;
template <typename T, std::size_t Rank>
constexpr bool isSpan<Span<T, Rank>> = true;

/// How nested arrays lend their elements: `rank` is 0 for everything else.
template <typename T>
struct Rows {
  using Element = T;
  static constexpr std::size_t rank = 0;
  static T *data(T &value) { return &value; }
  static void extents(std::int64_t *) {}
};
template <typename T, std::size_t Count>
struct Rows<T[Count]> {
  using Element = typename Rows<T>::Element;
  static constexpr std::size_t rank = Rows<T>::rank + 1;
  static Element *data(T (&rows)[Count]) { return Rows<T>::data(rows[0]); }
  static void extents(std::int64_t *to) {
    *to = static_cast<std::int64_t>(Count);
    Rows<T>::extents(to + 1);
  }
};
template <typename Array, typename T, std::size_t Count>
struct ArrayRows {
  using Element = typename Rows<T>::Element;
  static constexpr std::size_t rank = Rows<T>::rank + 1;
  static Element *data(Array &rows) { return Rows<T>::data(*rows.data()); }
  static void extents(std::int64_t *to) {
    *to = static_cast<std::int64_t>(Count);
    Rows<T>::extents(to + 1);
  }
};
template <typename T, std::size_t Count>
struct Rows<std::array<T, Count>> : ArrayRows<std::array<T, Count>, T, Count> {};
template <typename T, std::size_t Count>
struct Rows<const std::array<T, Count>> : ArrayRows<const std::array<T, Count>, const T, Count> {};

/// The elements of a container with data() and size(), or of an array; void for other types.
template <typename Holder, typename = void>
struct ElementOf {
  using Type = std::conditional_t<Rows<Holder>::rank != 0, typename Rows<Holder>::Element, void>;
};
template <typename Holder>
struct ElementOf<Holder, std::void_t<std::enable_if_t<Rows<Holder>::rank == 0>, decltype(std::size(std::declval<Holder &>())),
                                     decltype(std::data(std::declval<Holder &>()))>> {
  using Type = std::remove_pointer_t<decltype(std::data(std::declval<Holder &>()))>;
};

/// True if a span of T may refer to the elements of a holder: of the same type, and not of a temporary that owns what is written.
template <typename Holder, typename T>
constexpr bool lends() {
  using Plain = std::remove_reference_t<Holder>;
  using Element = typename ElementOf<Plain>::Type;
  constexpr bool isView = std::is_trivially_copyable_v<Plain> && Rows<Plain>::rank == 0;
  return !isSpan<std::remove_cv_t<Plain>> && std::is_same_v<std::remove_cv_t<Element>, std::remove_cv_t<T>> && (std::is_const_v<T> || !std::is_const_v<Element>) &&
         (std::is_const_v<T> || std::is_lvalue_reference_v<Holder> || isView);
}
} // namespace detail

/// A row-major tensor in the memory of the application. An entry checks its extents. Where only the number of elements is
/// known, the entry finds the extents, and there must be as many elements.
template <typename T, std::size_t Rank>
class Span {
public:
  /// Refers to as many elements as the extents say.
  Span(T *data, const std::array<std::int64_t, Rank> &extents) : first(data), sizes(extents) {
    for (std::int64_t size : extents)
      all = size > 0 ? all * static_cast<std::size_t>(size) : 0;
  }
  /// Refers to `count` elements.
  Span(T *data, std::size_t count) : first(data), all(count), flat(Rank != 1) { sizes[0] = static_cast<std::int64_t>(count); }
  /// Refers to an array of C or C++, nested ones too, or to a container with data() and size(), such as std::vector.
  template <typename Holder, typename = std::enable_if_t<detail::lends<Holder, T>()>>
  Span(Holder &&holder) {
    using Plain = std::remove_reference_t<Holder>;
    if constexpr (detail::Rows<Plain>::rank == Rank) {
      first = detail::Rows<Plain>::data(holder);
      detail::Rows<Plain>::extents(sizes.data());
      for (std::int64_t size : sizes)
        all *= static_cast<std::size_t>(size);
    } else if constexpr (detail::Rows<Plain>::rank != 0) {
      std::array<std::int64_t, detail::Rows<Plain>::rank> own{};
      first = detail::Rows<Plain>::data(holder);
      detail::Rows<Plain>::extents(own.data());
      for (std::int64_t size : own)
        all *= static_cast<std::size_t>(size);
      sizes[0] = static_cast<std::int64_t>(all);
      flat = true;
    } else {
      first = std::data(holder);
      all = std::size(holder);
      sizes[0] = static_cast<std::int64_t>(all);
      flat = Rank != 1;
    }
  }
  /// Reads what another span may write.
  template <typename Other, typename = std::enable_if_t<std::is_same_v<const Other, T> && !std::is_const_v<Other>>>
  Span(const Span<Other, Rank> &other) : first(other.data()), sizes(other.extents()), all(other.size()), flat(other.isFlat()) {}

  T *data() const { return first; }
  T *begin() const { return first; }
  T *end() const { return first + all; }
  /// The number of elements.
  std::size_t size() const { return all; }
  /// True if only the number of elements is known.
  bool isFlat() const { return flat; }
  /// The extents; meaningless for a flat span.
  const std::array<std::int64_t, Rank> &extents() const { return sizes; }
  std::int64_t extent(std::size_t dimension) const { return sizes[dimension]; }
  /// The element at an index, which is not checked; for spans that are not flat.
  template <typename... Index>
  T &operator()(Index... index) const {
    static_assert(sizeof...(Index) == Rank, "an element has one index for each dimension");
    std::ptrdiff_t at = 0;
    std::size_t dimension = 0;
    ((at = at * static_cast<std::ptrdiff_t>(sizes[dimension++]) + static_cast<std::ptrdiff_t>(index)), ...);
    return first[at];
  }

private:
  T *first = nullptr;
  std::array<std::int64_t, Rank> sizes{};
  std::size_t all = 1;
  bool flat = false;
};

/// A call that failed: a text, and the record that lathe_error describes.
class Error : public std::exception {
public:
  Error() = default;
  Error(std::string text, const lathe_error &error) : message(std::move(text)), failure(error) {}
  const char *what() const noexcept override { return message.c_str(); }
  lathe_status status() const noexcept { return failure.status; }
  const lathe_error &record() const noexcept { return failure; }

private:
  std::string message;
  lathe_error failure = {};
};
)";
