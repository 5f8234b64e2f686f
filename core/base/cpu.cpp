#include "base/cpu.hpp"

#include <cstdlib>
#include <cstring>

namespace venire {
namespace {

Simd detect() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("bmi2")) {
    return Simd::avx512;
  }
  if (__builtin_cpu_supports("avx2")) return Simd::avx2;
#endif
  return Simd::baseline;
}

Simd allowed(Simd found) {
  const char* wish = std::getenv("VENIRE_SIMD");
  if (wish == nullptr) return found;
  if (std::strcmp(wish, "baseline") == 0) return Simd::baseline;
  if (std::strcmp(wish, "avx2") == 0 && found > Simd::avx2) return Simd::avx2;
  return found;
}

}  // namespace

Simd simd_level() {
  static const Simd level = allowed(detect());
  return level;
}

bool has_fused_multiply_add() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
  __builtin_cpu_init();
  return __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

const char* simd_name(Simd level) {
  switch (level) {
    case Simd::avx512: return "avx512";
    case Simd::avx2: return "avx2";
    default: return "baseline";
  }
}

}  // namespace venire
