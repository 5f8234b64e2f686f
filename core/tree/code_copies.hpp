// Copies: the codes of a thin node's rows, brought together.
//
// A node's rows keep the order of the table, so a column is read from front to back, whatever the node.
// As long as the node holds one row in 64 or more, that streams: every cache line is needed. A thinner node would fetch
// a line for every byte; before it comes to that, a node's codes are copied together, and its descendants read the
// copy:
//
//   table (10 M rows)  →  copies of nodes of at most 1,048,576 rows  →  of at most 65,536  →  of at most 4,096
//
// Each copy reads its source in one sweep a column, costs about 1 ns a code, and lasts for four levels or more.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/types.hpp"
#include "splits/node_task.hpp"

namespace venire {

// Nodes below this many rows work on a copy of their codes: 4,096 rows of 50 columns fit the second-level cache.
constexpr std::uint32_t kLocalRows = 4096;
// Copies on the way there each have this many times the rows of the next, and only where they have at most a fourth of
// the rows they are copied from.
constexpr std::size_t kCopyStep = 16, kLeastShrink = 4;

// Copying all columns must not cost more than the gathers it saves.
constexpr std::uint32_t kLocalColumnsPerFeature = 16;

// The number of rows from which on down a node copies its codes, when they lie in columns of `rows` rows.
inline std::uint32_t copied_from(std::size_t rows) {
  std::size_t size = kLocalRows;
  while (size * kCopyStep * kLeastShrink <= rows) size *= kCopyStep;
  return static_cast<std::uint32_t>(size);
}

// The copies of one grower, one of each size.
class Copies {
 public:
  // Of a tree with so many columns that looks at so many a node.
  Copies(std::size_t columns, std::size_t looked_at)
      : columns_(columns), pays_(columns <= kLocalColumnsPerFeature * looked_at) {}

  bool pays() const { return pays_; }

  // Copies the codes of a task's items, which from there on are numbered by their place in the copy.
  template <class Item>
  void copy(Task& task, Item* items) {
    const std::uint32_t count = task.rows();
    while (task.copy_at > kLocalRows && count <= copied_from(task.copy_at)) task.copy_at = copied_from(task.copy_at);
    std::vector<Code>& copy = of_size_[task.copy_at];
    if (copy.size() < columns_ * count) copy = std::vector<Code>(columns_ * count);
    for (std::uint32_t j = 0; j < columns_; ++j) {
      if (task.is_constant(j)) continue;
      const Code* from = task.codes.column(j);
      Code* to = copy.data() + std::size_t{j} * count;
      for (std::uint32_t i = 0; i < count; ++i) to[i] = from[items[i].row];
    }
    for (std::uint32_t i = 0; i < count; ++i) items[i].row = i;
    task.codes = {copy.data(), count};
    task.copy_at = task.copy_at == kLocalRows ? 0 : copied_from(task.copy_at);
  }

 private:
  const std::size_t columns_;
  const bool pays_;
  std::map<std::uint32_t, std::vector<Code>> of_size_;  // by the size from which on down they are made
};

}  // namespace venire
