// Binds the library with Embind. Only numbers cross the boundary: pointers and structs as addresses, enums as ints,
// 64-bit sizes as doubles, which are exact up to 2^53.
#pragma once

#include <emscripten/bind.h>

#include <type_traits>

#include "bindings/streams.h"

#define FIELDS(...)
#define BINDINGS EMSCRIPTEN_BINDINGS(wasm_attention)

namespace wasm_attention {

/// How a parameter or a result of type T crosses the boundary.
template <typename T, typename = void>
struct Crossing {
  using Type = T;
  static T in(T value) { return value; }
};
template <typename T>
struct Crossing<T*> {
  using Type = uintptr_t;
  static T* in(uintptr_t address) { return reinterpret_cast<T*>(address); }
};
template <typename T>
struct Crossing<const T&> {
  using Type = uintptr_t;
  static const T& in(uintptr_t address) { return *reinterpret_cast<const T*>(address); }
};
template <typename T>
struct Crossing<T, std::enable_if_t<std::is_enum_v<T>>> {
  using Type = int;
  static T in(int value) { return static_cast<T>(value); }
};
template <>
struct Crossing<int64_t> {
  using Type = double;
};
template <>
struct Crossing<void> {
  using Type = void;
};

/// Does nothing: an enum crosses as a number.
template <auto...>
void values(const char*, const char*) {}

template <typename...>
void listed() {}

template <auto kFunction>
struct Bound;
template <typename Result, typename... Parameters, Result (*kFunction)(Parameters...)>
struct Bound<kFunction> {
  static typename Crossing<Result>::Type call(typename Crossing<Parameters>::Type... arguments) {
    return static_cast<typename Crossing<Result>::Type>(kFunction(Crossing<Parameters>::in(arguments)...));
  }
};

/// A function with working memory of `capacity` bytes. If that is too little, it computes nothing and returns the
/// number of bytes that it needs; otherwise it returns 0.
template <auto kFunction, auto kScratch>
struct BoundWithScratch;
template <typename Args, typename T, void (*kFunction)(const Args&, T*), int64_t (*kScratch)(const Args&)>
struct BoundWithScratch<kFunction, kScratch> {
  static double call(uintptr_t address, uintptr_t scratch, double capacity) {
    const Args& args = Crossing<const Args&>::in(address);
    const double needed = static_cast<double>(kScratch(args)) * sizeof(T);
    if (needed > capacity) return needed;
    kFunction(args, Crossing<T*>::in(scratch));
    return 0;
  }
};

template <auto kFunction>
void op(const char* name, const char* /*parameters*/, Streams = Streams::kNo) {
  emscripten::function(name, &Bound<kFunction>::call);
}

template <auto kFunction, auto kScratch>
void op(const char* name, Streams = Streams::kNo) {
  emscripten::function(name, &BoundWithScratch<kFunction, kScratch>::call);
}

}  // namespace wasm_attention
