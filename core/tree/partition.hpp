// Partition: a node's rows move to the stretches of its children, each in its old order.
//
// Cost per row: one look at a code and two writes, without a branch.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace venire {

// Every item is written to both sides, and only one of the two places moves on. Gives the number of items on the left.
template <class Item, class GoesRight>
std::uint32_t part_in_two(Item* items, std::uint32_t count, std::vector<Item>& spare, GoesRight goes_right) {
  if (spare.size() < count) spare.resize(count);
  Item* left = items;
  Item* right = spare.data();
  for (const Item* item = items; item != items + count; ++item) {
    const Item moved = *item;
    const bool is_right = goes_right(moved);
    *left = moved;
    *right = moved;
    left += is_right ? 0 : 1;
    right += is_right ? 1 : 0;
  }
  std::copy(spare.data(), right, left);
  return static_cast<std::uint32_t>(left - items);
}

// `slot(item)` names the child; `ends` has one entry a child and receives where its stretch ends.
template <class Item, class Slot>
void part_in_many(Item* items, std::uint32_t count, std::vector<Item>& spare, std::vector<std::uint32_t>& ends,
                  Slot slot) {
  if (spare.size() < count) spare.resize(count);
  std::fill(ends.begin(), ends.end(), 0u);
  for (std::uint32_t i = 0; i < count; ++i) ++ends[slot(items[i])];
  std::uint32_t start = 0;
  for (std::uint32_t& end : ends) start += std::exchange(end, start);
  for (std::uint32_t i = 0; i < count; ++i) spare[ends[slot(items[i])]++] = items[i];
  std::copy(spare.data(), spare.data() + count, items);
}

}  // namespace venire
