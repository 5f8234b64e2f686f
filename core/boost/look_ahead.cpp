// Leaves of a table in parts are parted several together, ahead of their turn: one message for all of them.
#include <algorithm>

#include "boost/grow.hpp"

namespace venire {
namespace {

constexpr std::size_t kTogether = 8;  // leaves in one message: a tree of 31 leaves then takes about eight

}  // namespace

// The sums of the root and its histogram come in one message. May it grow?
bool BoostGrower::begin_root_of_parts(Open& root, const RowSet& rows, const Slopes& slopes) {
  const bool large = large_enough(root) && rules_.max_leaves > 1 && rules_.max_depth > 0;
  std::vector<std::uint64_t> told(1, 0);
  for (std::size_t i = 0; i < rows.size(); ++i) told[0] += slopes.pairs[rows[i]];
  if (large) {
    root.sums = spare_sums();
    builder_.build(rows.size() == packs_.rows ? nullptr : rows.data(), rows.size(), slopes.pairs, root.sums);
    told.insert(told.end(), root.sums.begin(), root.sums.end());
  }
  parts_.add(told.data(), told.size());
  root.node.total = told[0];
  std::copy(told.begin() + 1, told.end(), root.sums.begin());
  return large && static_cast<double>(hessian_of(root.node.total)) >= search_.least_hessian(slopes.units);
}

void BoostGrower::gather(Open& open, std::vector<Open*>& found) {
  if (!open.parted && open.split.gain > 0) found.push_back(&open);
  for (Open& child : open.children) gather(child, found);
}

// The next leaf to be split, and the best of all that are known and not parted; no more than may still be split.
std::vector<BoostGrower::Open*> BoostGrower::next_to_part() {
  std::vector<Open*> found;
  Open* next = nullptr;
  for (Open& open : open_) {
    gather(open, found);
    if (!open.parted && open.split.gain > 0 && (next == nullptr || open.split.gain > next->split.gain)) next = &open;
  }
  std::stable_sort(found.begin(), found.end(), [&](const Open* a, const Open* b) {
    return a == next || b == next ? a == next && b != next : a->split.gain > b->split.gain;
  });
  found.resize(std::min({found.size(), kTogether, rules_.max_leaves - open_.size()}));
  return found;
}

// May one of the children be split, as far as hessians say?
bool BoostGrower::may_have_sums(const Open& open, const Units& units) const {
  const std::int32_t left = hessian_of(open.split.left), right = hessian_of(open.node.total - open.split.left);
  return open.depth + 1 < rules_.max_depth && std::max(left, right) >= search_.least_hessian(units);
}

// In the order of the rows again, with all that was parted below.
void BoostGrower::put_together(Open& open) {
  for (Open& child : open.children) {
    if (child.parted) put_together(child);
    if (child.sums.capacity() > 0) free_.push_back(std::move(child.sums));
  }
  if (open.lighter.capacity() > 0) free_.push_back(std::exchange(open.lighter, {}));
  open.children.clear();
  open.parted = false;
  if (open.depth == 0) return;  // its rows were left where they are
  const auto first = order_.begin() + static_cast<std::ptrdiff_t>(open.first);
  const auto middle = first + static_cast<std::ptrdiff_t>(open.left_count);
  std::inplace_merge(first, middle, first + static_cast<std::ptrdiff_t>(open.count));
}

// Rows by bin of every column, of leaves whose split had too few on a side.
void BoostGrower::count_all(const std::vector<Open*>& leaves, const std::vector<std::uint32_t>& columns) {
  const std::size_t all = bins_.columns.size() * kCodes;
  std::vector<std::uint64_t> told(leaves.size() * all, 0);
  std::array<std::uint32_t, kCodes> counts;
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    for (const std::uint32_t column : columns) {
      count_rows(*leaves[i], column, counts);
      std::copy(counts.begin(), counts.end(), &told[i * all + std::size_t{column} * kCodes]);
    }
  }
  parts_.add(told.data(), told.size());
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    std::vector<std::uint32_t>& known = leaves[i]->counts;
    known.resize(all);
    std::transform(&told[i * all], &told[i * all] + all, known.begin(),
                   [](std::uint64_t n) { return static_cast<std::uint32_t>(n); });
  }
}

// Parts the next leaves and sums up their lighter children. A split with too few rows on a side is searched again among
// those that have enough: it can only gain less. What the others come to is searched at once, unless columns are drawn
// for nodes by their numbers, which are known when it is their turn.
void BoostGrower::look_ahead(const Slopes& slopes, const std::vector<std::uint32_t>& columns) {
  const std::vector<Open*> leaves = next_to_part();
  std::vector<std::uint64_t> told;
  for (Open* open : leaves) {
    open->left_count = part(*open);
    open->parted = true;
    told.push_back(open->left_count);
    if (!may_have_sums(*open, slopes.units)) continue;
    const bool left = hessian_of(open->split.left) <= hessian_of(open->node.total - open->split.left);
    const Row* few = order_.data() + open->first + (left ? 0 : open->left_count);
    open->lighter = spare_sums();
    builder_.build(few, left ? open->left_count : open->count - open->left_count, slopes.pairs, open->lighter);
    told.insert(told.end(), open->lighter.begin(), open->lighter.end());
  }
  parts_.add(told.data(), told.size());
  std::vector<Open*> short_of_rows;
  const std::uint64_t* from = told.data();
  for (Open* open : leaves) {
    open->left_rows = static_cast<std::uint32_t>(*from++);
    std::copy_n(from, open->lighter.size(), open->lighter.begin());
    from += open->lighter.size();
    const std::uint32_t fewer = std::min(open->left_rows, open->node.rows - open->left_rows);
    if (open->sure || static_cast<double>(fewer) >= rules_.split.min_rows) {
      if (rules_.max_features >= columns.size()) make_children(*open, 0, false, slopes, columns);
      continue;
    }
    put_together(*open);
    short_of_rows.push_back(open);
  }
  if (short_of_rows.empty()) return;
  count_all(short_of_rows, columns);
  for (Open* open : short_of_rows) find_split(*open, columns, slopes.units);
}

}  // namespace venire
