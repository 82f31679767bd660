// A function that does nothing; its presence marks the wasm for relaxed SIMD (web/lib/runtime/embind.ts).
#include <emscripten/bind.h>

namespace {
void relaxed() {}
}  // namespace

EMSCRIPTEN_BINDINGS(relaxed) { emscripten::function("relaxed", &relaxed); }
