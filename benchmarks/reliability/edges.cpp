// Which edges of the compiled core a run takes, for a fuzzer that is guided by them.
//
// Part of builds with VENIRE_EDGES only (`make fuzz`). There the compiler calls `__sanitizer_cov_trace_pc` at the start
// of every basic block. An edge is a pair of blocks that follow each other in one thread; its place in the map is a hash
// of both, as in AFL, so a few edges may share one. Addresses count from this function on: the same edge has the same
// place in every process.

#include <cstddef>
#include <cstdint>

namespace {
constexpr std::size_t kPlaces = 1 << 16;
std::uint8_t taken[kPlaces];
thread_local std::uintptr_t last = 0;
}  // namespace

// Hidden, so that no runtime that is loaded before can put a function of its own in its place.
extern "C" __attribute__((visibility("hidden"), no_sanitize("address", "undefined"))) void __sanitizer_cov_trace_pc() {
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) -
                    reinterpret_cast<std::uintptr_t>(&__sanitizer_cov_trace_pc);
  const std::uintptr_t mixed = here * 0x9E3779B97F4A7C15ull >> 40;
  taken[(mixed ^ last) % kPlaces] = 1;
  last = mixed >> 1;
}

extern "C" __attribute__((visibility("default"))) std::uint8_t* venire_edges() { return taken; }
extern "C" __attribute__((visibility("default"))) std::size_t venire_edge_places() { return kPlaces; }
// A path starts anew with every file: the first block does not follow the last one of the file before.
extern "C" __attribute__((visibility("default"))) void venire_edges_anew() { last = 0; }
