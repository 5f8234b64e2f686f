// Asking for memory before it is needed.
//
// Inlined always: GCC takes a function that does no more than this for one that does nothing, and leaves its calls out.
#pragma once

#include "base/wide.hpp"

namespace venire {

// Into the second-level cache: what is on its way must not push out of the first what is at work there.
VENIRE_INLINE void prefetch(const void* at) {
#if defined(__GNUC__) || defined(__clang__)
  __builtin_prefetch(at, 0, 2);
#else
  (void)at;
#endif
}

}  // namespace venire
