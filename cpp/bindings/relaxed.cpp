// The mark of the wasm for relaxed SIMD, by which the library knows it (web/lib/load.ts): it does nothing.
#include <emscripten/bind.h>

namespace {
void relaxed() {}
}  // namespace

EMSCRIPTEN_BINDINGS(relaxed) { emscripten::function("relaxed", &relaxed); }
