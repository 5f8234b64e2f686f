// The rows of a round, ascending: a list, or all rows of a table, which need none.
#pragma once

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "base/types.hpp"

namespace venire {

class RowSet {
 public:
  RowSet() = default;
  RowSet(std::vector<Row> listed) : count_(listed.size()), listed_(std::move(listed)) {}
  // Rows 0 .. count - 1, without a list.
  static RowSet all(std::size_t count) {
    RowSet rows;
    rows.count_ = count;
    return rows;
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  const std::vector<Row>& listed() const { return listed_; }
  // Null without a list: place i is row i.
  const Row* data() const { return listed_.empty() ? nullptr : listed_.data(); }
  Row operator[](std::size_t i) const { return listed_.empty() ? static_cast<Row>(i) : listed_[i]; }

 private:
  std::size_t count_ = 0;
  std::vector<Row> listed_;
};

}  // namespace venire
