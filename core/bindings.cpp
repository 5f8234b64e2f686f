// The only file that knows Python.
#include <nanobind/nanobind.h>

#include "cpu.hpp"

namespace nb = nanobind;

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of venire.";
  m.def(
      "simd_level", [] { return venire::simd_name(venire::simd_level()); },
      "The widest vector instructions in use: 'baseline', 'avx2' or 'avx512'.");
}
