// Describes what bindings.cpp binds, for scripts/describe.mjs. Names come from FIELDS and `op`, types and offsets from
// the compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bindings/streams.h"

/// Lists every field of a struct. Fields<Struct> inherits from the struct so that the names refer to its fields.
#define FIELDS(Struct, ...)                             \
  template <>                                           \
  struct Fields<Struct> : Struct {                      \
    static constexpr const char* kStruct = #Struct;     \
    static constexpr const char* kNames = #__VA_ARGS__; \
    template <typename Visit>                           \
    void visit(Visit visit) const {                     \
      visit(__VA_ARGS__);                               \
    }                                                   \
  };
#define BINDINGS void wasm_attention::describe()

namespace wasm_attention {

/// Defined by FIELDS.
template <typename Struct>
struct Fields;

/// Defined by BINDINGS.
void describe();

/// Builds JSON.
class Json {
 public:
  Json& key(const char* name) { return value(name).append(":"); }
  Json& value(const char* text) { return separate().append("\"").append(text).append("\""); }
  Json& value(size_t number) {
    separate();
    char digits[20];
    int count = 0;
    do digits[count++] = static_cast<char>('0' + number % 10);
    while (number /= 10);
    while (count > 0) text_[size_++] = digits[--count];
    return *this;
  }
  Json& open(const char* bracket) { return separate().append(bracket); }
  Json& close(const char* bracket) { return append(bracket); }
  const char* text() const { return text_; }

 private:
  Json& append(const char* text) {
    while (*text) text_[size_++] = *text++;
    return *this;
  }
  Json& separate() {
    const char last = size_ > 0 ? text_[size_ - 1] : '[';
    return last == '[' || last == '{' || last == ':' ? *this : append(",");
  }

  char text_[1 << 16] = {};
  size_t size_ = 0;
};
inline Json structs, functions, enums;

/// The name of type T for scripts/describe.mjs.
template <typename T>
constexpr const char* typeOf() {
  if constexpr (std::is_class_v<T>) {
    return Fields<T>::kStruct;
  } else if constexpr (std::is_void_v<T>) {
    return "void";
  } else if constexpr (std::is_pointer_v<T> || std::is_reference_v<T>) {
    return "address";
  } else if constexpr (std::is_same_v<T, bool>) {
    return "boolean";
  } else if constexpr (std::is_same_v<T, float>) {
    return "float";
  } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, int64_t>) {
    return "double";
  } else {
    static_assert(sizeof(T) == 4 && (std::is_enum_v<T> || std::is_integral_v<T>), "a type that does not cross");
    return "int";
  }
}

/// Describes a struct once, after the structs that it contains.
template <typename Struct>
void describeStruct() {
  if constexpr (std::is_class_v<Struct>) {
    static bool described = false;
    if (described) return;
    described = true;
    const Fields<Struct> all{};
    all.visit([&](const auto&... fields) {
      static_assert((sizeof(fields) + ...) == sizeof(Struct), "FIELDS lists every field, and there is no padding");
      (describeStruct<std::decay_t<decltype(fields)>>(), ...);
      structs.open("{").key("name").value(Fields<Struct>::kStruct).key("bytes").value(sizeof(Struct));
      structs.key("names").value(Fields<Struct>::kNames).key("fields").open("[");
      const auto place = [&](const auto& field) {
        const size_t offset = reinterpret_cast<const char*>(&field) - reinterpret_cast<const char*>(&all);
        structs.open("{")
            .key("offset")
            .value(offset)
            .key("type")
            .value(typeOf<std::decay_t<decltype(field)>>())
            .close("}");
      };
      (place(fields), ...);
      structs.close("]").close("}");
    });
  }
}

/// The names of an enum's values, which are 0, 1, 2, …
template <auto... kValues>
void values(const char* name, const char* names) {
  constexpr bool ordered = [](int next) { return ((static_cast<int>(kValues) == next++) && ...); }(0);
  static_assert(ordered, "values are listed in their order, from 0 on");
  enums.open("{").key("name").value(name).key("count").value(sizeof...(kValues)).key("names").value(names).close("}");
}

/// Describes structs that operations take in lists.
template <typename... Structs>
void listed() {
  (describeStruct<Structs>(), ...);
}

template <auto kFunction>
struct Signature;
template <typename Result, typename... Parameters, Result (*kFunction)(Parameters...)>
struct Signature<kFunction> {
  static void describe(const char* name, const char* parameters, Streams streams, bool scratch) {
    (describeStruct<std::decay_t<Parameters>>(), ...);
    functions.open("{").key("name").value(name).key("parameters").value(parameters).key("types").open("[");
    (functions.value(typeOf<Parameters>()), ...);
    functions.close("]").key("result").value(typeOf<Result>());
    functions.key("streams").value(static_cast<size_t>(streams)).key("scratch").value(size_t{scratch}).close("}");
  }
};

template <auto kFunction>
void op(const char* name, const char* parameters, Streams streams = Streams::kNo) {
  Signature<kFunction>::describe(name, parameters, streams, false);
}

template <auto kFunction, auto kScratch>
void op(const char* name, Streams streams = Streams::kNo) {
  Signature<kFunction>::describe(name, "args scratch", streams, true);
}

}  // namespace wasm_attention

/// The list of functions; below are the lists of enums and structs. The first call builds all three.
extern "C" [[clang::export_name("functions")]] inline const char* describedFunctions() {
  wasm_attention::describe();
  return wasm_attention::functions.text();
}
extern "C" [[clang::export_name("enums")]] inline const char* describedEnums() { return wasm_attention::enums.text(); }
extern "C" [[clang::export_name("structs")]] inline const char* describedStructs() {
  return wasm_attention::structs.text();
}
