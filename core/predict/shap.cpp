#include "predict/shap.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <vector>

#include "predict/walk.hpp"

namespace venire {
namespace {

using Mask = std::uint64_t;
constexpr std::size_t kBits = 64;
constexpr std::size_t kRows = 128;  // explained together

// One row on its way down: which of the columns asked so far it failed.
struct Entry {
  Mask failed;
  std::uint32_t row;
};
using Entries = std::vector<Entry>;

// A node still to be looked at, with everything that may reach it.
struct Visit {
  std::uint32_t node;
  bool ends;  // what is here stays here
  Entries rows, background;
  std::vector<std::uint32_t> columns;  // per bit of the masks
};

// share[a][c] = 1 / (a C(a + c, a)): what each of a columns gets where c others stand against them.
struct Shares {
  std::array<std::array<double, kBits + 1>, kBits + 1> share{};

  Shares() {
    for (std::size_t a = 1; a <= kBits; ++a) {
      double choose = 1;  // C(a + c, a)
      for (std::size_t c = 0; c <= kBits; ++c) {
        if (c > 0) choose = choose * static_cast<double>(a + c) / static_cast<double>(c);
        share[a][c] = 1 / (static_cast<double>(a) * choose);
      }
    }
  }
};

Mask failed_by_all(const Entries& entries) {
  Mask all = ~Mask{0};
  for (const Entry& one : entries) all &= one.failed;
  return all;
}

// Leaves out what no partner on the other side can go with.
void drop_hopeless(Visit& visit) {
  const Mask by_background = failed_by_all(visit.background);
  std::erase_if(visit.rows, [&](const Entry& one) { return (one.failed & by_background) != 0; });
  const Mask by_rows = failed_by_all(visit.rows);
  std::erase_if(visit.background, [&](const Entry& one) { return (one.failed & by_rows) != 0; });
}

void sort_by_mask(Entries& entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& a, const Entry& b) { return a.failed != b.failed ? a.failed < b.failed : a.row < b.row; });
}

class Explainer {
 public:
  Explainer(const Ensemble& ensemble, const ShapPlan& plan, const Block& background, const Shares& shares)
      : ensemble_(ensemble), plan_(plan), background_(background), share_(shares.share),
        width_(static_cast<std::size_t>(ensemble.outputs)), said_(width_) {}

  // Adds what the trees say about a block of rows to out[row, column, output].
  void explain(const Block& block, double* out) {
    for (std::size_t t = 0; t < plan_.trees; ++t)
      explain(ensemble_.trees[t], width_ == 1 ? t % plan_.outputs : 0, block, out);
  }

 private:
  struct Group {
    Mask failed;
    std::uint32_t count;
  };

  void explain(const Tree& tree, std::size_t output, const Block& block, double* out) {
    Visit root{0, false, {}, {}, {}};
    for (std::uint32_t i = 0; i < block.count; ++i) root.rows.push_back({0, i});
    for (std::uint32_t i = 0; i < background_.count; ++i) root.background.push_back({0, i});
    stack_.clear();
    stack_.push_back(std::move(root));
    while (!stack_.empty()) {
      Visit visit = std::move(stack_.back());
      stack_.pop_back();
      if (visit.ends || tree.nodes[visit.node].is_leaf(visit.node)) share_out(tree, visit, output, out);
      else descend(tree, block, visit);
    }
  }

  static void look(const Tree& tree, std::uint32_t node, const Block& block, const Entries& entries,
                   std::vector<std::uint32_t>& next) {
    next.resize(entries.size());
    for (std::size_t i = 0; i < entries.size(); ++i)
      next[i] = next_node(tree, node, block.row(entries[i].row), nullptr);
  }

  void descend(const Tree& tree, const Block& block, const Visit& visit) {
    look(tree, visit.node, block, visit.rows, next_row_);
    look(tree, visit.node, background_, visit.background, next_background_);
    const Node& node = tree.nodes[visit.node];
    for (std::uint32_t c = tree.children(visit.node); c-- > 0;) push(visit, node.child + c, node.feature(), false);
    if (node.branch() == Branch::multiway) push(visit, visit.node, node.feature(), true);
  }

  // What may reach `next` from a node that asks about `column`.
  void push(const Visit& from, std::uint32_t next, std::uint32_t column, bool ends) {
    const auto goes = [&](std::uint32_t one) { return one == next; };
    const std::size_t rows = static_cast<std::size_t>(std::count_if(next_row_.begin(), next_row_.end(), goes));
    const std::size_t others =
        static_cast<std::size_t>(std::count_if(next_background_.begin(), next_background_.end(), goes));
    if (rows == 0 && others == 0) return;
    Visit visit{next, ends, {}, {}, from.columns};
    Mask bit = 0;
    if (rows < from.rows.size() || others < from.background.size()) bit = bit_of(visit.columns, column);
    const auto take = [&](const Entries& entries, const std::vector<std::uint32_t>& way, Entries& to) {
      to.reserve(entries.size());
      for (std::size_t i = 0; i < entries.size(); ++i)
        to.push_back({entries[i].failed | (goes(way[i]) ? 0 : bit), entries[i].row});
    };
    take(from.rows, next_row_, visit.rows);
    take(from.background, next_background_, visit.background);
    drop_hopeless(visit);
    if (!visit.rows.empty() && !visit.background.empty()) stack_.push_back(std::move(visit));
  }

  static Mask bit_of(std::vector<std::uint32_t>& columns, std::uint32_t column) {
    const auto found = std::find(columns.begin(), columns.end(), column);
    const auto at = static_cast<std::size_t>(found - columns.begin());
    if (found == columns.end()) {
      if (columns.size() == kBits) throw std::invalid_argument("a leaf lies behind more than 64 columns");
      columns.push_back(column);
    }
    return Mask{1} << at;
  }

  void leaf_values(const Tree& tree, std::uint32_t node) {
    const double* value = tree.values.data() + static_cast<std::size_t>(tree.value[node]) * width_;
    std::copy(value, value + width_, said_.begin());
    if (plan_.take == Take::votes) {
      std::fill(said_.begin(), said_.end(), 0.0);
      said_[static_cast<std::size_t>(std::max_element(value, value + width_) - value)] = 1.0;
    }
    for (double& one : said_) one *= plan_.scale / static_cast<double>(background_.count);
  }

  void share_out(const Tree& tree, Visit& visit, std::size_t output, double* out) {
    leaf_values(tree, visit.node);
    sort_by_mask(visit.rows);
    sort_by_mask(visit.background);
    groups_.clear();
    for (const Entry& one : visit.background) {
      if (groups_.empty() || groups_.back().failed != one.failed) groups_.push_back({one.failed, 0});
      ++groups_.back().count;
    }
    for (std::size_t first = 0, last = 0; first < visit.rows.size(); first = last) {
      while (last < visit.rows.size() && visit.rows[last].failed == visit.rows[first].failed) ++last;
      weigh(visit.rows[first].failed, visit.columns.size());
      for (std::size_t slot = 0; slot < visit.columns.size(); ++slot) {
        if (weight_[slot] == 0) continue;
        for (std::size_t i = first; i < last; ++i) {
          double* to =
              out + (visit.rows[i].row * ensemble_.columns.size() + visit.columns[slot]) * plan_.outputs + output;
          for (std::size_t k = 0; k < width_; ++k) to[k] += weight_[slot] * said_[k];
        }
      }
    }
  }

  // The weight of every column for rows that failed these: counted first, in whole numbers.
  void weigh(Mask failed, std::size_t columns) {
    const auto c = static_cast<std::size_t>(std::popcount(failed));
    std::array<std::uint32_t, kBits + 1> against{};
    for (std::size_t slot = 0; slot < columns; ++slot) std::fill_n(counted_[slot].begin(), columns + 1, 0u);
    for (const Group& group : groups_) {
      if ((group.failed & failed) != 0) continue;
      const auto a = static_cast<std::size_t>(std::popcount(group.failed));
      against[a] += group.count;
      for (Mask left = group.failed; left != 0; left &= left - 1)
        counted_[static_cast<std::size_t>(std::countr_zero(left))][a] += group.count;
    }
    double lost = 0;
    for (std::size_t a = 0; c > 0 && a <= columns; ++a) lost += against[a] * share_[c][a];
    for (std::size_t slot = 0; slot < columns; ++slot) {
      double won = 0;
      for (std::size_t a = 1; a <= columns; ++a) won += counted_[slot][a] * share_[a][c];
      weight_[slot] = (failed >> slot & 1u) != 0 ? -lost : won;
    }
  }

  const Ensemble& ensemble_;
  const ShapPlan& plan_;
  const Block& background_;
  const std::array<std::array<double, kBits + 1>, kBits + 1>& share_;
  const std::size_t width_;  // numbers a leaf holds
  std::vector<double> said_;
  std::vector<Visit> stack_;
  std::vector<std::uint32_t> next_row_, next_background_;
  std::vector<Group> groups_;
  std::array<std::array<std::uint32_t, kBits + 1>, kBits> counted_{};
  std::array<double, kBits> weight_{};
};

}  // namespace

void shap_values(const Ensemble& ensemble, const Matrix& x, const Matrix& background, const ShapPlan& plan, double* out,
                 Pool& pool) {
  for (const Tree& tree : ensemble.trees) {
    if (!tree.terms.empty())
      throw std::invalid_argument("trees that split on combinations of columns have no Shapley values here");
  }
  const Shares shares;
  Block others;
  others.load(ensemble.columns, nullptr, background, 0, background.rows);
  const std::size_t size = ensemble.columns.size() * plan.outputs;
  std::fill_n(out, x.rows * size, 0.0);
  pool.run((x.rows + kRows - 1) / kRows, [&](std::size_t task, std::size_t) {
    const std::size_t first = task * kRows;
    Block block;
    block.load(ensemble.columns, nullptr, x, first, std::min(kRows, x.rows - first));
    Explainer(ensemble, plan, others, shares).explain(block, out + first * size);
  });
}

}  // namespace venire
