#include "tree/prune.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <stdexcept>
#include <tuple>

namespace venire {

std::uint32_t Tree::children(std::uint32_t node) const {
  if (nodes[node].is_leaf(node)) return 0;
  if (nodes[node].branch() != Branch::multiway) return 2;
  const std::uint8_t* slot = slots.data() + table[node];
  return *std::max_element(slot, slot + kCodes);
}

namespace {

constexpr double kNotCollapsed = std::numeric_limits<double>::infinity();
// Gains that differ by less than this share of the root's impurity are one level: they are equal but for rounding.
constexpr double kSameLevel = 1e-12;

class Pruner {
 public:
  explicit Pruner(const Tree& tree) : tree_(tree) {
    const std::size_t count = tree.nodes.size();
    if (tree.stats.size() != count) throw std::invalid_argument("pruning needs a tree that kept its statistics");
    own_.resize(count);
    below_.resize(count);
    leaves_.assign(count, 1);
    parent_.assign(count, 0);
    version_.assign(count, 0);
    path_.collapse.assign(count, kNotCollapsed);
    const double all = tree.stats[0].weight;
    for (std::size_t t = 0; t < count; ++t) own_[t] = below_[t] = tree.stats[t].impurity * tree.stats[t].weight / all;
    // Children have higher numbers than their parents.
    for (std::size_t t = count; t-- > 0;) {
      const auto node = static_cast<std::uint32_t>(t);
      for (std::uint32_t c = 0; c < tree.children(node); ++c) parent_[tree.nodes[t].child + c] = node;
      refresh(node);
    }
  }

  PruningPath run() {
    path_.alphas.push_back(0);
    path_.impurities.push_back(below_[0]);
    const double same = kSameLevel * std::max(own_[0], std::numeric_limits<double>::min());
    double alpha = 0;
    while (!queue_.empty()) {
      const auto [worth, node, version] = queue_.top();
      queue_.pop();
      if (version != version_[node] || path_.collapse[node] != kNotCollapsed) continue;
      if (worth > alpha + same) alpha = worth;
      collapse(node, alpha);
      if (alpha > path_.alphas.back()) {
        path_.alphas.push_back(alpha);
        path_.impurities.push_back(0);
      }
      path_.impurities.back() = below_[0];
    }
    return std::move(path_);
  }

 private:
  using Entry = std::tuple<double, std::uint32_t, std::uint32_t>;

  bool is_inner(std::uint32_t node) const {
    return !tree_.nodes[node].is_leaf(node) && path_.collapse[node] == kNotCollapsed;
  }

  // Sums again over the children rather than subtracting, so that rounding does not build up.
  void refresh(std::uint32_t node) {
    if (!is_inner(node)) return;
    below_[node] = 0;
    leaves_[node] = 0;
    for (std::uint32_t c = 0; c < tree_.children(node); ++c) {
      below_[node] += below_[tree_.nodes[node].child + c];
      leaves_[node] += leaves_[tree_.nodes[node].child + c];
    }
    const double worth = (own_[node] - below_[node]) / static_cast<double>(leaves_[node] - 1);
    queue_.push({std::max(worth, 0.0), node, ++version_[node]});
  }

  void collapse(std::uint32_t top, double alpha) {
    std::vector<std::uint32_t> stack{top};
    while (!stack.empty()) {
      const std::uint32_t node = stack.back();
      stack.pop_back();
      if (!is_inner(node)) continue;
      path_.collapse[node] = alpha;
      for (std::uint32_t c = 0; c < tree_.children(node); ++c) stack.push_back(tree_.nodes[node].child + c);
    }
    below_[top] = own_[top];
    leaves_[top] = 1;
    for (std::uint32_t node = top; node != 0;) {
      node = parent_[node];
      refresh(node);
    }
  }

  const Tree& tree_;
  PruningPath path_;
  std::vector<double> own_, below_;
  std::vector<std::int64_t> leaves_;
  std::vector<std::uint32_t> parent_, version_;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

// Copies the part of a tree above the collapsed nodes.
class Cutter {
 public:
  Cutter(const Tree& tree, const std::vector<double>& collapse, double alpha, int outputs)
      : tree_(tree), collapse_(collapse), alpha_(alpha), outputs_(static_cast<std::size_t>(outputs)) {}

  Tree run() {
    out_.importance.assign(tree_.importance.size(), 0.0);
    std::vector<std::uint32_t> from{0};
    append(0);
    for (std::uint32_t node = 0; node < from.size(); ++node) {
      const std::uint32_t source = from[node];
      if (tree_.nodes[source].is_leaf(source) || (alpha_ > 0 && collapse_[source] <= alpha_)) continue;
      const auto first = static_cast<std::uint32_t>(out_.nodes.size());
      for (std::uint32_t c = 0; c < tree_.children(source); ++c) {
        from.push_back(tree_.nodes[source].child + c);
        append(from.back());
      }
      out_.nodes[node].child = first;
      out_.nodes[node].packed = tree_.nodes[source].packed;
      copy_table(source, node);
      credit(source);
    }
    if (out_.subsets.empty() && out_.slots.empty() && out_.terms.empty()) out_.table.clear();
    return std::move(out_);
  }

 private:
  void append(std::uint32_t source) {
    out_.nodes.push_back(Node::leaf(static_cast<std::uint32_t>(out_.nodes.size())));
    out_.stats.push_back(tree_.stats[source]);
    out_.table.push_back(-1);
    out_.value.push_back(static_cast<std::int32_t>(out_.values.size() / outputs_));
    const auto at =
        tree_.values.begin() + static_cast<std::ptrdiff_t>(tree_.value[source]) * static_cast<std::ptrdiff_t>(outputs_);
    out_.values.insert(out_.values.end(), at, at + static_cast<std::ptrdiff_t>(outputs_));
  }

  void copy_table(std::uint32_t source, std::uint32_t node) {
    const Branch branch = tree_.nodes[source].branch();
    if (branch == Branch::threshold) return;
    const std::int32_t at = tree_.table[source];
    if (branch == Branch::subset) {
      out_.table[node] = static_cast<std::int32_t>(out_.subsets.size());
      out_.subsets.insert(out_.subsets.end(), tree_.subsets.begin() + at, tree_.subsets.begin() + at + kCodes / 8);
    } else if (branch == Branch::multiway) {
      out_.table[node] = static_cast<std::int32_t>(out_.slots.size());
      out_.slots.insert(out_.slots.end(), tree_.slots.begin() + at, tree_.slots.begin() + at + kCodes);
    } else {
      out_.table[node] = static_cast<std::int32_t>(out_.term_cut.size());
      if (out_.term_start.empty()) out_.term_start.push_back(0);
      out_.terms.insert(out_.terms.end(), tree_.terms.begin() + tree_.term_start[static_cast<std::size_t>(at)],
                        tree_.terms.begin() + tree_.term_start[static_cast<std::size_t>(at) + 1]);
      out_.term_start.push_back(static_cast<std::int32_t>(out_.terms.size()));
      out_.term_cut.push_back(tree_.term_cut[static_cast<std::size_t>(at)]);
    }
  }

  void credit(std::uint32_t source) {
    const auto mass = [&](std::uint32_t t) { return tree_.stats[t].impurity * tree_.stats[t].weight; };
    double decrease = mass(source);
    for (std::uint32_t c = 0; c < tree_.children(source); ++c) decrease -= mass(tree_.nodes[source].child + c);
    out_.importance[tree_.nodes[source].feature()] += decrease / tree_.stats[0].weight;
  }

  const Tree& tree_;
  const std::vector<double>& collapse_;
  const double alpha_;
  const std::size_t outputs_;
  Tree out_;
};

}  // namespace

PruningPath pruning_path(const Tree& tree) { return Pruner(tree).run(); }

std::vector<double> stops_of(const Tree& tree, StopBy by) {
  if (by == StopBy::pruning) return pruning_path(tree).collapse;
  const std::size_t count = tree.nodes.size();
  std::vector<double> stops(count, 0.0);
  if (by == StopBy::rows) {
    if (tree.stats.size() != count) throw std::invalid_argument("rows need a tree that kept its statistics");
    for (std::size_t t = 0; t < count; ++t) stops[t] = tree.stats[t].rows;
    return stops;
  }
  const bool has_values = std::all_of(tree.value.begin(), tree.value.end(), [](std::int32_t v) { return v >= 0; });
  if (!has_values) throw std::invalid_argument("levels need a tree that kept the values of its inner nodes");
  // Children have higher numbers than their parents.
  for (std::uint32_t t = 0; t < count; ++t) {
    for (std::uint32_t c = 0; c < tree.children(t); ++c) stops[tree.nodes[t].child + c] = stops[t] - 1;
  }
  return stops;
}

Tree prune(const Tree& tree, double alpha, int outputs) {
  const PruningPath path = pruning_path(tree);
  return Cutter(tree, path.collapse, alpha, outputs).run();
}

}  // namespace venire
