#include <cassert>

#include "attention.h"
#include "positional/frequencies.h"

namespace wasm_attention {

void encodingRotation(const double* frequencies, float* out, int dim, double delta) {
  assert(dim % 2 == 0);
  for (int j = 0; j < dim / 2; j += 2) {
    const SinCos turn = sinCosAt(loadFrequencies(frequencies, dim, j), delta);
    for (int lane = 0; lane < 2 && j + lane < dim / 2; ++lane, out += 4) {
      const float sin = static_cast<float>(turn.sin[lane]);
      const float cos = static_cast<float>(turn.cos[lane]);
      out[0] = cos;
      out[1] = sin;
      out[2] = -sin;
      out[3] = cos;
    }
  }
}

}  // namespace wasm_attention
