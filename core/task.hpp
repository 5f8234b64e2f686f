// Tasks: a node yet to be grown, and where its codes are.
//
// A node's rows keep the order of the table, so a column is read from front to back, whatever the node.
// As long as the node holds one row in 64 or more, that streams: every cache line is needed. A thinner node would fetch a
// line for every byte; before it comes to that, a node's codes are copied together, and its descendants read the copy:
//
//   table (10 M rows)  →  copies of nodes of at most 1,048,576 rows  →  of at most 65,536  →  of at most 4,096
//
// Each copy reads its source in one sweep a column, costs about 1 ns a code, and lasts for four levels or more.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "types.hpp"

namespace venire {

// Nodes below this many rows work on a copy of their codes: 4,096 rows of 50 columns fit the second-level cache.
constexpr std::uint32_t kLocalRows = 4096;
// Copies on the way there each have this many times the rows of the next, and only where they have at most a fourth of
// the rows they are copied from.
constexpr std::size_t kCopyStep = 16, kLeastShrink = 4;

// A node of at most this many rows is a subtree, grown apart from the rest and grafted on: always, so that a tree's
// bytes do not depend on the number of threads.
constexpr std::uint32_t kSubtreeRows = 16384;

struct Codes {
  const Code* first = nullptr;
  std::size_t stride = 0;
  const Code* column(std::uint32_t j) const { return first + j * stride; }
};

// The number of rows from which on down a node copies its codes, when they lie in columns of `rows` rows.
inline std::uint32_t copied_from(std::size_t rows) {
  std::size_t size = kLocalRows;
  while (size * kCopyStep * kLeastShrink <= rows) size *= kCopyStep;
  return static_cast<std::uint32_t>(size);
}

struct Task {
  std::uint32_t node, begin, end, depth;
  std::uint64_t key;
  std::uint64_t constant;  // bit j: column j does not vary here
  Codes codes;             // the item with row i has its codes at place i
  std::uint32_t copy_at;   // with at most so many rows, copy the codes; 0: never again

  std::uint32_t rows() const { return end - begin; }
};

// The subtrees that a trunk leaves to be grown apart. Their codes may lie in a copy that the trunk is about to overwrite:
// before that, and at the end, it calls `grow`.
struct Later {
  std::vector<Task> tasks;
  std::function<void()> grow;
};

}  // namespace venire
