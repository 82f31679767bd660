#pragma once

namespace wasm_attention {

/// Whether a function copies its inputs and results itself, while threads compute (kernels/stream.h). For other
/// functions they are copied before and after the call.
enum class Streams { kNo, kYes };

}  // namespace wasm_attention
