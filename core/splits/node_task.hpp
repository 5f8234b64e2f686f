// Tasks: a node yet to be grown, and where its codes are.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/types.hpp"

namespace venire {

// A node of at most this many rows is a subtree, grown apart from the rest and grafted on: always, so that a tree's
// bytes do not depend on the number of threads.
constexpr std::uint32_t kSubtreeRows = 16384;

struct Codes {
  const Code* first = nullptr;
  std::size_t stride = 0;
  const Code* column(std::uint32_t j) const { return first + j * stride; }
};

// Columns known to be constant in a node are remembered for the first 64, in one word.
constexpr std::uint32_t kTracked = 64;

struct Task {
  std::uint32_t node, begin, end, depth;
  std::uint64_t key;
  std::uint64_t constant;  // bit j: column j does not vary here
  Codes codes;             // the item with row i has its codes at place i
  std::uint32_t copy_at;   // with at most so many rows, copy the codes; 0: never again (code_copies.hpp)

  std::uint32_t rows() const { return end - begin; }
  bool is_constant(std::uint32_t column) const { return column < kTracked && (constant >> column & 1) != 0; }
  void note_constant(std::uint32_t column) {
    if (column < kTracked) constant |= std::uint64_t{1} << column;
  }
};

// The subtrees that a trunk leaves to be grown apart. Their codes may lie in a copy that the trunk is about to
// overwrite: before that, and at the end, it calls `grow`.
struct Later {
  std::vector<Task> tasks;
  std::function<void()> grow;
};

}  // namespace venire
