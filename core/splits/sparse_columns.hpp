// The columns of a sparse table as a node sees them: its rows whose code is not the usual one.
//
// A node of many rows takes a column's list and keeps the rows that are its own: `places` says where among the items of
// the tree each row stands, and the node's items are a stretch of these. A node of few rows goes through its rows
// instead, once, and has the cells of all columns. Both find the same cells in the same order. Cost: 1 to 3 ns a cell.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "bins/sparse_codes.hpp"
#include "splits/node_task.hpp"

namespace venire {

struct SparseCell {
  std::uint32_t at;  // among the node's items
  Code code;
};

struct SparseColumn {
  const SparseCell* cells;
  std::size_t count;
  Code usual;  // of all other items
};

// Where among the items of a tree each row stands; shared by its growers. Each writes its own rows' and may meet
// others' under way, which are then in other stretches either way: hence atomic, and in no order.
using Places = std::vector<std::uint32_t>;

class SparseColumns {
 public:
  // For nodes that look at `features` columns.
  SparseColumns(const SparseCodes& codes, Places& places, std::size_t features)
      : codes_(codes), places_(places), list_cells_(features * (codes.columns.place.size() / codes.usual.size() + 1)),
        start_(codes.usual.size()), count_(codes.usual.size(), 0) {}

  // The node at hand.
  template <class Item>
  void begin(const Task& task, const Item* items) {
    begin_ = task.begin;
    rows_ = task.rows();
    for (const std::uint32_t column : met_) count_[column] = 0;
    met_.clear();
    std::size_t cells = 0;
    for (std::uint32_t i = 0; i < rows_ && cells <= list_cells_; ++i) cells += codes_.rows.size(items[i].row);
    gathered_ = cells <= list_cells_;
    if (gathered_) gather(items, cells);
  }

  // The cells of a column, in `room` unless they are there already.
  SparseColumn column(std::uint32_t j, std::vector<SparseCell>& room) const {
    if (gathered_) return {cells_.data() + start_[j], count_[j], codes_.usual[j]};
    room.clear();
    const CellLists& lists = codes_.columns;
    for (std::size_t at = lists.start[j]; at < lists.start[j + 1]; ++at) {
      const std::uint32_t place = place_of(lists.place[at]).load(std::memory_order_relaxed) - begin_;
      // Rows before the node's are beyond its end, too.
      if (place < rows_) room.push_back({place, lists.code[at]});
    }
    return {room.data(), room.size(), codes_.usual[j]};
  }

  // The codes of a column by row, right for the node's.
  template <class Item>
  const Code* written(std::uint32_t j, const Item* items, std::uint32_t count) {
    written_.resize(places_.size());
    for (std::uint32_t i = 0; i < count; ++i) written_[items[i].row] = codes_.usual[j];
    const CellLists& lists = codes_.columns;
    for (std::size_t at = lists.start[j]; at < lists.start[j + 1]; ++at) written_[lists.place[at]] = lists.code[at];
    return written_.data();
  }

  // Items have moved.
  template <class Item>
  void place(const Task& task, const Item* items) {
    for (std::uint32_t i = 0; i < task.rows(); ++i) {
      place_of(items[i].row).store(task.begin + i, std::memory_order_relaxed);
    }
  }

 private:
  std::atomic_ref<std::uint32_t> place_of(Row row) const { return std::atomic_ref(places_[row]); }

  template <class Item>
  void gather(const Item* items, std::size_t cells) {
    const CellLists& lists = codes_.rows;
    const auto over_cells = [&](auto use) {
      for (std::uint32_t i = 0; i < rows_; ++i) {
        for (std::size_t at = lists.start[items[i].row]; at < lists.start[items[i].row + 1]; ++at) use(i, at);
      }
    };
    over_cells([&](std::uint32_t, std::size_t at) {
      if (count_[lists.place[at]]++ == 0) met_.push_back(lists.place[at]);
    });
    std::uint32_t start = 0;
    for (const std::uint32_t column : met_) {
      start_[column] = start;
      start += count_[column];
      count_[column] = 0;
    }
    if (cells_.size() < cells) cells_.resize(cells);
    over_cells([&](std::uint32_t i, std::size_t at) {
      const std::uint32_t column = lists.place[at];
      cells_[start_[column] + count_[column]++] = {i, lists.code[at]};
    });
  }

  const SparseCodes& codes_;
  Places& places_;
  const std::size_t list_cells_;  // what the lists of so many columns hold
  std::uint32_t begin_ = 0, rows_ = 0;
  bool gathered_ = false;
  std::vector<std::uint32_t> start_, count_, met_;  // of the cells gathered, by column
  std::vector<SparseCell> cells_;
  std::vector<Code> written_;
};

}  // namespace venire
