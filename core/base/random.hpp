// Random numbers by counting: number i of a stream is a hash of (key, i), so a stream has no history to carry.
//
// Every tree, and every node of it, has a key derived from its parent's. What is drawn at a node therefore does not
// depend on the order in which nodes or trees are grown, nor on the number of threads. Cost: about 2 ns a number.
#pragma once

#include <cstdint>

namespace venire {

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every input bit reaches every output bit.
inline std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

// The key of child number `branch` of a stream.
inline std::uint64_t child_key(std::uint64_t key, std::uint64_t branch) {
  return mix(mix(key + 0x9E3779B97F4A7C15ull) ^ (branch + 1) * 0xD1B54A32D192ED03ull);
}

class Random {
 public:
  explicit Random(std::uint64_t key) : state_(key) {}

  std::uint64_t bits() { return mix(state_ += 0x9E3779B97F4A7C15ull); }

  // A whole number in [0, bound), without bias (Lemire 2019, on 32 bits).
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = (bits() >> 32) * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t floor = static_cast<std::uint32_t>(-bound) % bound;
      while (static_cast<std::uint32_t>(product) < floor) product = (bits() >> 32) * bound;
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  // A number in [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace venire
