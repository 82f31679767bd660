#include "attention.h"
#include "property.h"

namespace wasm_attention {
namespace {

PROPERTY(Activation, AgreesWithFloat64) {
  const int count = draw.integer(0, draw.flag() ? 3000 : 20), scale = draw.integer(1, 80);
  const bool in_place = draw.flag(), tanh = draw.flag();
  const std::vector<float> x = draw.floats(count, static_cast<float>(scale));
  const auto apply = [&](auto f) {
    std::vector<float> out = in_place ? x : std::vector<float>(count, NAN);
    f(in_place ? out.data() : x.data(), out.data());
    return out;
  };
  const std::vector<float> gelus = apply([&](const float* from, float* to) { gelu(from, to, count, tanh); });
  const std::vector<float> silus = apply([&](const float* from, float* to) { silu(from, to, count); });
  for (int i = 0; i < count; ++i) {
    const double v = x[i];
    const double normal = std::erfc(-v / std::sqrt(2.0)) / 2;
    const double approximated = (1 + std::tanh(std::sqrt(2 / M_PI) * (v + 0.044715 * v * v * v))) / 2;
    expectNear(gelus[i], v * (tanh ? approximated : normal), 8 * kHalfUlp * (1 + std::abs(v)), "gelu", i);
    const double expected = v / (1 + std::exp(-v));
    expectNear(silus[i], expected, 8 * kHalfUlp * std::abs(expected) + 1e-37, "silu", i);
  }
}

}  // namespace
}  // namespace wasm_attention
