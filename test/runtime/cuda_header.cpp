// That the runtime's declarations of the CUDA driver are those of NVIDIA's cuda.h: each entry of its tables, with the symbol's
// version. What differs does not compile.
//
// Part of the Lathe project, under the Apache License v2.0 with LLVM Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_driver.h"

#include <cstdio>
#include <cuda.h>
#include <string_view>
#include <type_traits>

namespace {
template <class T>
constexpr bool isNumber = std::is_arithmetic_v<T> || std::is_enum_v<T>;

/// The driver's enumerations may have any sign: their values are small.
template <class T>
constexpr bool hasSign(bool otherwise) {
  return std::is_enum_v<T> ? otherwise : std::is_signed_v<T>;
}

/// True if a caller may pass the one where the other is declared: the same bytes, and what points to constants on both sides.
template <class Ours, class Theirs>
constexpr bool areAlike() {
  if constexpr (std::is_pointer_v<Ours> && std::is_pointer_v<Theirs>) {
    using To = std::remove_pointer_t<Ours>;
    using Other = std::remove_pointer_t<Theirs>;
    if constexpr (std::is_const_v<To> != std::is_const_v<Other>)
      return false;
    else if constexpr (std::is_void_v<To> || std::is_void_v<Other> || (std::is_class_v<To> && std::is_class_v<Other>))
      return true;
    else
      return areAlike<std::remove_const_t<To>, std::remove_const_t<Other>>();
  } else if constexpr (isNumber<Ours> && isNumber<Theirs>) {
    return sizeof(Ours) == sizeof(Theirs) && alignof(Ours) == alignof(Theirs) &&
           std::is_floating_point_v<Ours> == std::is_floating_point_v<Theirs> &&
           hasSign<Ours>(true) == hasSign<Theirs>(hasSign<Ours>(true));
  }
  return false;
}

template <class Ours, class Theirs>
struct Calls : std::false_type {};
template <class R, class... A, class S, class... B>
  requires(sizeof...(A) == sizeof...(B))
struct Calls<R (*)(A...), S (*)(B...)> : std::bool_constant<areAlike<R, S>() && (areAlike<A, B>() && ...)> {};

static_assert(Calls<int (*)(void **, unsigned), CUresult (*)(CUstream *, unsigned)>::value);
static_assert(!Calls<int (*)(void **, unsigned), CUresult (*)(CUstream *, size_t)>::value);
static_assert(!Calls<int (*)(unsigned *), CUresult (*)(size_t *)>::value);
static_assert(!Calls<int (*)(int), CUresult (*)(unsigned)>::value);
static_assert(!Calls<int (*)(const void *), CUresult (*)(void *)>::value);
static_assert(!Calls<int (*)(void *), CUresult (*)(CUdeviceptr)>::value);

// The header maps cuMemAlloc to cuMemAlloc_v2: a symbol without its version is another function.
#define TEXT(tokens) #tokens
#define EXPANDED(tokens) TEXT(tokens)
#define CHECK_FUNCTION(member, symbol, parameters)                                                                             \
  static_assert(std::string_view(#symbol) == EXPANDED(symbol), #symbol " lacks its version");                                  \
  static_assert(Calls<decltype(lathe_cuda_driver::member), decltype(&symbol)>::value, #symbol " has other types");
LATHE_CUDA_FUNCTIONS(CHECK_FUNCTION)

#define CHECK_CONSTANT(name, theirs, value) static_assert(int(name) == int(theirs), #theirs " has another value");
#if CUDA_VERSION >= 12080 // older ones do not have all failures
LATHE_CUDA_CONSTANTS(CHECK_CONSTANT)
#endif

static_assert(sizeof(CUtensorMap) == CUDA_MAP_BYTES);
static_assert(CUDA_MAP_ALIGNMENT % alignof(CUtensorMap) == 0);
} // namespace

int main() {
#define COUNT(...) +1
  printf("cuda.h %d.%d: %d functions, %d constants\n", CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10,
         LATHE_CUDA_FUNCTIONS(COUNT), LATHE_CUDA_CONSTANTS(COUNT));
}
