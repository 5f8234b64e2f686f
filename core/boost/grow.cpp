#include "boost/grow.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <queue>
#include <utility>

#include "base/random.hpp"
#include "boost/partition.hpp"
#include "gradients/sample.hpp"

namespace venire {
namespace {

constexpr std::size_t kColumnsTogether = 512;  // searched by one task, where threads share them

struct Waiting {
  double gain;
  std::size_t place;
};

// Largest gain first; of equal ones the leaf that was opened first.
struct Behind {
  bool operator()(const Waiting& a, const Waiting& b) const {
    return a.gain != b.gain ? a.gain < b.gain : a.place > b.place;
  }
};
using Queue = std::priority_queue<Waiting, std::vector<Waiting>, Behind>;

// Rows are looked at until there is hessian enough for two sides: one or two, but all of them in late rounds of a
// fitted table, whose trees then need no histogram.
bool heavy_enough(const RowSet& rows, const Pair* pairs, double least) {
  std::int64_t hessian = 0;
  for (std::size_t i = 0; i < rows.size() && static_cast<double>(hessian) < least; ++i)
    hessian += hessian_of(pairs[rows[i]]);
  return static_cast<double>(hessian) >= least;
}

Sides sides_of(const BoostSplit& split) {
  Sides sides;
  if (!split.subset) {
    const auto right = std::fill_n(sides.begin(), split.cut + 1, std::uint8_t{0});
    std::fill(right, sides.end(), std::uint8_t{1});
    sides[kMissing] = split.missing_left ? 0 : 1;
    return sides;
  }
  for (int code = 0; code < kCodes; ++code)
    sides[static_cast<std::size_t>(code)] = split.goes_right(static_cast<Code>(code)) ? 1 : 0;
  return sides;
}

}  // namespace

const Row* BoostGrower::rows_of(const Open& open) const {
  return open.depth == 0 ? all_->data() : order_.data() + open.first;
}

RowBytes BoostGrower::bytes_of(std::uint32_t column) {
  return packs_.in_place_of_columns() ? packs_.bytes_of(column) : RowBytes{reader_.column(column)};
}

// The byte of every row of a node in one column.
template <class Use>
void BoostGrower::over_bytes(const Open& open, std::uint32_t column, const Use& use) {
  const Row* rows = rows_of(open);
  const RowBytes bytes = bytes_of(column);
  if (rows == nullptr) {
    for (std::size_t i = 0; i < open.count; ++i) use(bytes[i]);
  } else {
    for (std::size_t i = 0; i < open.count; ++i) use(bytes[rows[i]]);
  }
}

// The sides by what is kept of a column: its codes, or the bytes of its lane.
Sides BoostGrower::sides_by_bytes(const BoostSplit& split) const {
  const Sides sides = sides_of(split);
  if (!packs_.in_place_of_columns()) return sides;
  Sides by_bytes;
  const auto& meaning = packs_.meaning[split.feature];
  std::transform(meaning.begin(), meaning.end(), by_bytes.begin(), [&](Code code) { return sides[code]; });
  return by_bytes;
}

// Rows by bin, "missing" after the last.
void BoostGrower::count_rows(const Open& open, std::uint32_t column, std::array<std::uint32_t, kCodes>& counts) {
  counts.fill(0);
  std::array<Code, kCodes> codes;
  std::iota(codes.begin(), codes.end(), Code{0});
  if (packs_.in_place_of_columns()) codes = packs_.meaning[column];
  std::array<std::uint32_t, kCodes> by_byte{};
  over_bytes(open, column, [&](Code byte) { ++by_byte[byte]; });
  for (std::size_t byte = 0; byte < by_byte.size(); ++byte)
    counts[codes[byte] == kMissing ? packs_.bins[column] : codes[byte]] += by_byte[byte];
}

std::size_t BoostGrower::rows_right(const Open& open) {
  const Sides sides = sides_by_bytes(open.split);
  std::size_t right = 0;
  over_bytes(open, open.split.feature, [&](Code byte) { right += sides[byte]; });
  return right;
}

// Are both sides so heavy that they cannot have too few rows? Most are, and their rows need no counting.
bool BoostGrower::large_enough(const Open& open) const {
  return open.node.rows >= std::max<double>(2 * rules_.split.min_rows, rules_.min_split_rows);
}

bool BoostGrower::surely_enough(const Open& open, const Units& units) const {
  const std::int32_t lighter = std::min(hessian_of(open.split.left), hessian_of(open.node.total - open.split.left));
  return units.most_hessian > 0 && static_cast<double>(lighter) >= rules_.split.min_rows * units.most_hessian;
}

// The best split of a leaf whose sides have rows enough. A column that offers one with too few has its rows counted and
// is searched again, which can only lower its offer; so the first best offer that holds is the best of all.
void BoostGrower::find_split(Open& open, const std::vector<std::uint32_t>& columns, const Units& units) {
  if (rules_.max_features >= columns.size()) return find_split_by(open, columns, units);
  const double share = static_cast<double>(rules_.max_features) / static_cast<double>(columns.size());
  find_split_by(open, draw_share(columns, share, child_key(key_, open.number)), units);
}

// What each column offers. A sparse table has many, so threads share them.
void BoostGrower::offer_all(const Open& open, const Scan& scan, const Pair* sums,
                            const std::vector<std::uint32_t>& columns) {
  offers_.resize(columns.size());
  const auto some = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const std::uint32_t* counts = open.counts.empty() ? nullptr : &open.counts[std::size_t{columns[i]} * kCodes];
      search_.best(open.node, scan, sums, columns[i], counts, offers_[i]);
    }
  };
  if (sparse_ == nullptr) return some(0, columns.size());
  pool_.run((columns.size() + kColumnsTogether - 1) / kColumnsTogether, [&](std::size_t task, std::size_t) {
    some(task * kColumnsTogether, std::min(columns.size(), (task + 1) * kColumnsTogether));
  });
}

PairHistogram BoostGrower::spare_sums() {
  if (free_.empty()) return {};
  PairHistogram sums = std::move(free_.back());
  free_.pop_back();
  return sums;
}

// The sums of a node of a sparse table, if it is large enough to keep them.
void BoostGrower::begin_sparse(Open& open, const Pair* pairs) {
  open.sums = {};
  if (!sparse_->is_large(sparse_->cells(rows_of(open), open.count))) return;
  open.sums = spare_sums();
  sparse_->build(rows_of(open), open.count, pairs, open.sums);
}

// The best split of a node of a sparse table. A small one has cells in few columns, and varies in no others.
void BoostGrower::find_sparse(Open& open, const Slopes& slopes, const std::vector<std::uint32_t>& columns) {
  if (!open.sums.empty()) {
    find_split(open, columns, slopes.units);
    if (sparse_->is_large(sparse_->cells(rows_of(open), open.count))) return;
    free_.push_back(std::exchange(open.sums, {}));
    return;
  }
  sparse_->build(rows_of(open), open.count, slopes.pairs);
  find_split(open, columns, slopes.units);
  sparse_->clear();
}

void BoostGrower::find_split_by(Open& open, const std::vector<std::uint32_t>& given, const Units& units) {
  const bool met_only = sparse_ != nullptr && open.sums.empty();
  if (met_only) {
    met_.clear();
    std::copy_if(given.begin(), given.end(), std::back_inserter(met_), [&](auto j) { return sparse_->met(j); });
    if (met_.empty()) return;
  }
  const std::vector<std::uint32_t>& columns = met_only ? met_ : given;
  const Scan scan = search_.scan_of(open.node, units);
  const Pair* sums = open.sums.empty() ? sparse_->shared().data() : open.sums.data();
  offer_all(open, scan, sums, columns);
  counted_.assign(columns.size(), exact_rows_ || !rules_.split.count_rows || !open.counts.empty());
  for (;;) {
    const auto less = [](const BoostSplit& a, const BoostSplit& b) { return a.gain < b.gain; };
    const auto best =
        static_cast<std::size_t>(std::max_element(offers_.begin(), offers_.end(), less) - offers_.begin());
    open.split = offers_[best];
    open.sure = open.split.gain <= 0 || counted_[best] || surely_enough(open, units);
    if (open.sure || !parts_.alone()) return;  // rows of parts are counted as the leaf is parted
    const std::size_t right = rows_right(open);
    if (static_cast<double>(std::min<std::size_t>(right, open.node.rows - right)) >= rules_.split.min_rows) return;
    std::array<std::uint32_t, kCodes> counts;
    count_rows(open, columns[best], counts);
    search_.best(open.node, scan, sums, columns[best], counts.data(), offers_[best]);
    counted_[best] = true;
  }
}

void BoostGrower::add_node(const BoostSplit& split, std::uint32_t number, std::uint32_t child, Tree& tree) {
  if (split.subset) {
    tree.nodes[number] = Node::make(child, split.feature, Branch::subset, false, 0);
    tree.table.resize(tree.nodes.size(), -1);
    tree.table[number] = static_cast<std::int32_t>(tree.subsets.size());
    tree.subsets.insert(tree.subsets.end(), split.right.begin(), split.right.end());
    return;
  }
  const Code cut = static_cast<Code>(split.cut + (split.missing_left ? 1 : 0));
  tree.nodes[number] = Node::make(child, split.feature, Branch::threshold, split.missing_left, cut);
}

std::size_t BoostGrower::part(const Open& open) {
  const Row* from = rows_of(open);
  return part_node(from, open.count, bytes_of(open.split.feature), sides_by_bytes(open.split),
                   order_.data() + open.first, spare_.data(), pool_);
}

// The values of all leaves; those whose sums are too coarse are summed again.
void BoostGrower::close(Tree& tree, const Slopes& slopes) {
  const double l1 = rules_.split.l1;
  std::vector<std::size_t> coarse;
  for (std::size_t place = 0; place < open_.size(); ++place) {
    Open& open = open_[place];
    if (open.parted) put_together(open);
    tree.nodes[open.number] = Node::leaf(open.number);
    tree.value[open.number] = static_cast<std::int32_t>(tree.values.size());
    tree.values.push_back(
        leaf_value(open.node.total, open.node.l2, l1, slopes.units, open.node.lower, open.node.upper));
    leaves_.push_back({open.number, rows_of(open), open.count});
    if (leaves_.back().rows == nullptr) {  // a tree of one leaf, of all rows
      std::iota(order_.begin(), order_.end(), Row{0});
      leaves_.back().rows = order_.data();
    }
    if (slopes.from.known() && is_coarse(open.node.total, open.node.rows)) coarse.push_back(place);
  }
  if (coarse.empty()) return;
  std::vector<std::uint64_t> fine(2 * coarse.size());
  pool_.run(coarse.size(), [&](std::size_t task, std::size_t) {
    const GrownLeaf& leaf = leaves_[coarse[task]];
    const FineUnits units = fine_units(slopes, leaf.rows, leaf.count);
    fine[2 * task] = static_cast<std::uint64_t>(units.gradient);
    fine[2 * task + 1] = static_cast<std::uint64_t>(units.hessian);
  });
  parts_.add(fine.data(), fine.size());
  for (std::size_t i = 0; i < coarse.size(); ++i) {
    const BoostNode& node = open_[coarse[i]].node;
    const FineSums sums =
        fine_sums(slopes, {static_cast<std::int64_t>(fine[2 * i]), static_cast<std::int64_t>(fine[2 * i + 1])});
    tree.values[coarse[i]] = leaf_value(sums.gradient, sums.hessian, node.l2, l1, node.lower, node.upper);
  }
}

void BoostGrower::search_children(Open& parent, Open& left, Open& right, const std::array<bool, 2>& may,
                                  const Slopes& slopes, const std::vector<std::uint32_t>& columns) {
  const bool left_small = left.node.rows <= right.node.rows;
  Open& small = left_small ? left : right;
  Open& large = left_small ? right : left;
  const Row* few = order_.data() + small.first;
  if (sparse_ != nullptr) {
    if (!parent.sums.empty()) {
      sparse_->take_out(few, small.count, slopes.pairs, parent.sums);
      large.sums = std::move(parent.sums);
      begin_sparse(small, slopes.pairs);
    }
    if (may[0]) find_sparse(left, slopes, columns);
    if (may[1]) find_sparse(right, slopes, columns);
    return;
  }
  if (!parts_.alone()) {
    const bool left_lighter = hessian_of(left.node.total) <= hessian_of(right.node.total);
    (left_lighter ? right : left).sums = std::move(parent.sums);
    subtract((left_lighter ? right : left).sums, parent.lighter);
    (left_lighter ? left : right).sums = std::move(parent.lighter);
  } else if (large.sums = std::move(parent.sums); !may[left_small ? 0 : 1] && builder_.cheaper_out(small.count)) {
    builder_.take_out(few, small.count, slopes.pairs, large.sums);
  } else {
    small.sums = spare_sums();
    builder_.build(few, small.count, slopes.pairs, small.sums);
    subtract(large.sums, small.sums);
  }
  if (may[0]) find_split(left, columns, slopes.units);
  if (may[1]) find_split(right, columns, slopes.units);
}

// What a leaf comes to when it is split: both sides with their sums and their best splits. `number` is that of the left
// one; the last to be made need not be searched.
void BoostGrower::make_children(Open& parent, std::uint32_t number, bool last, const Slopes& slopes,
                                const std::vector<std::uint32_t>& columns) {
  const Units& units = slopes.units;
  const BoostSplit& chosen = parent.split;
  const std::size_t left_count = parent.parted ? parent.left_count : part(parent);
  parent.children.resize(2);
  Open &left = parent.children[0], &right = parent.children[1];
  left.number = number;
  right.number = number + 1;
  left.depth = right.depth = parent.depth + 1;
  left.first = parent.first;
  right.first = parent.first + left_count;
  left.count = left_count;
  right.count = parent.count - left_count;
  left.node = right.node = parent.node;
  left.node.l2 = right.node.l2 = chosen.l2;
  left.node.total = chosen.left;
  right.node.total = parent.node.total - chosen.left;
  left.node.rows = parent.parted ? parent.left_rows : static_cast<std::uint32_t>(left_count);
  right.node.rows = parent.node.rows - left.node.rows;

  const int direction = rules_.split.monotone.empty() || chosen.subset ? 0 : rules_.split.monotone[chosen.feature];
  if (direction != 0) {
    const auto value = [&](const Open& one) {
      return leaf_value(one.node.total, chosen.l2, rules_.split.l1, units, parent.node.lower, parent.node.upper);
    };
    const double middle = (value(left) + value(right)) / 2;
    (direction > 0 ? left : right).node.upper = middle;
    (direction > 0 ? right : left).node.lower = middle;
  }

  const auto may_split = [&](const Open& one) {
    return !last && one.depth < rules_.max_depth && large_enough(one) &&
           hessian_of(one.node.total) >= search_.least_hessian(units);
  };
  const bool left_may = may_split(left), right_may = may_split(right);
  if (left_may || right_may) search_children(parent, left, right, {left_may, right_may}, slopes, columns);
  else if (!parent.sums.empty()) free_.push_back(std::move(parent.sums));
  if (parent.lighter.capacity() > 0) free_.push_back(std::move(parent.lighter));
}

void BoostGrower::split(std::size_t which, Tree& tree, const Slopes& slopes,
                        const std::vector<std::uint32_t>& columns) {
  const auto child = static_cast<std::uint32_t>(tree.nodes.size());
  tree.nodes.resize(child + 2);
  tree.value.resize(child + 2, -1);
  Open& parent = open_[which];
  const std::size_t leaves_now = leaves_.size() + open_.size() + 1;
  if (parent.children.empty()) make_children(parent, child, leaves_now >= rules_.max_leaves, slopes, columns);
  Open left = std::move(parent.children[0]), right = std::move(parent.children[1]);
  left.number = child;
  right.number = child + 1;
  totals_.push_back({left.node.rows, left.node.total});
  totals_.push_back({right.node.rows, right.node.total});
  add_node(parent.split, parent.number, child, tree);
  tree.importance[parent.split.feature] += parent.split.gain;
  open_[which] = std::move(left);
  open_.push_back(std::move(right));
}

// The sums of the root. May it grow?
bool BoostGrower::begin_root(Open& root, const RowSet& rows, const Slopes& slopes) {
  if (!parts_.alone()) return begin_root_of_parts(root, rows, slopes);
  const Pair* pairs = slopes.pairs;
  const bool may_grow = large_enough(root) && rules_.max_leaves > 1 && rules_.max_depth > 0 &&
                        heavy_enough(rows, pairs, search_.least_hessian(slopes.units));
  if (may_grow && sparse_ != nullptr) {
    begin_sparse(root, pairs);
  } else if (may_grow) {
    root.sums = spare_sums();
    builder_.build(rows.size() == packs_.rows ? nullptr : rows.data(), rows.size(), pairs, root.sums);
  }
  if (may_grow && packs_.lanes > 0 && rows.size() > packs_.slots()) {
    root.node.total = packs_.total(root.sums.data());  // cheaper than from the rows
  } else {
    for (std::size_t i = 0; i < rows.size(); ++i) root.node.total += pairs[rows[i]];
  }
  return may_grow;
}

Tree BoostGrower::grow(const RowSet& rows, const Slopes& slopes, bool equal_hessians,
                       const std::vector<std::uint32_t>& columns, std::uint64_t key) {
  key_ = key;
  const Units& units = slopes.units;
  Tree tree;
  tree.nodes.resize(1);
  tree.value.assign(1, -1);
  tree.importance.assign(bins_.columns.size(), 0.0);
  all_ = &rows;
  exact_rows_ = equal_hessians;
  order_.resize(rows.size());
  spare_.resize(rows.size());
  leaves_.clear();
  for (Open& one : open_) {
    if (one.sums.capacity() > 0) free_.push_back(std::move(one.sums));
    if (one.lighter.capacity() > 0) free_.push_back(std::move(one.lighter));
  }
  open_.clear();
  Open root;
  root.count = rows.size();
  root.node.rows = static_cast<std::uint32_t>(parts_.rows(rows.size()));
  root.node.l2 = rules_.split.l2;
  if (begin_root(root, rows, slopes))
    sparse_ != nullptr ? find_sparse(root, slopes, columns) : find_split(root, columns, units);
  totals_.assign(1, {root.node.rows, root.node.total});
  open_.push_back(std::move(root));
  Queue waiting;
  const auto wait = [&](std::size_t place) {
    if (open_[place].split.gain > 0) waiting.push({open_[place].split.gain, place});
  };
  wait(0);
  while (!waiting.empty() && open_.size() < rules_.max_leaves) {
    const std::size_t place = waiting.top().place;
    if (!parts_.alone() && !open_[place].parted) {
      look_ahead(slopes, columns);  // which may find that a leaf gains less
      waiting = Queue();
      for (std::size_t one = 0; one < open_.size(); ++one) wait(one);
      continue;
    }
    waiting.pop();
    split(place, tree, slopes, columns);
    wait(place);
    wait(open_.size() - 1);
  }
  close(tree, slopes);
  if (!tree.subsets.empty()) tree.table.resize(tree.nodes.size(), -1);
  return tree;
}

}  // namespace venire
