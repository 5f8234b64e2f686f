#include "predict/usual_paths.hpp"

#include <algorithm>
#include <tuple>

namespace venire {
namespace {

// A search among the questions of a path takes as long as some steps down a tree.
constexpr std::size_t kStepsPerSearch = 4;

}  // namespace

UsualPaths::UsualPaths(const Tree& tree, const std::vector<Code>& usual)
    : nodes_(tree.nodes), usual_(usual), path_of_(tree.nodes.size()) {
  std::vector<std::uint32_t> starts{0};
  while (!starts.empty()) {
    const std::uint32_t start = starts.back();
    starts.pop_back();
    follow(start, starts);
  }
}

std::uint32_t UsualPaths::usual_child(std::uint32_t node) const {
  return nodes_[node].next(usual_[nodes_[node].feature()]);
}

// The path from here; the children beside it are added to `starts`.
void UsualPaths::follow(std::uint32_t start, std::vector<std::uint32_t>& starts) {
  path_of_[start] = static_cast<std::uint32_t>(paths_.size());
  const std::size_t first = questions_.size();
  std::uint32_t at = start;
  while (!nodes_[at].is_leaf(at)) {
    questions_.push_back({nodes_[at].feature(), at});
    const std::uint32_t next = usual_child(at);
    starts.push_back(2 * nodes_[at].child + 1 - next);
    at = next;
  }
  // Children come after their parent, so nodes of a path ascend.
  std::sort(
      questions_.begin() + static_cast<std::ptrdiff_t>(first), questions_.end(),
      [](const Question& a, const Question& b) { return std::tie(a.column, a.node) < std::tie(b.column, b.node); });
  paths_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(questions_.size()), at});
}

bool UsualPaths::serve(const Ensemble& ensemble, const Bins& bins) {
  if (!bins.is_sparse() || bins.rows == 0) return false;
  std::size_t steps = 0;
  for (const Tree& tree : ensemble.trees) {
    if (!tree.table.empty()) return false;
    std::uint32_t at = 0;
    for (; !tree.nodes[at].is_leaf(at); ++steps) at = tree.nodes[at].next(bins.sparse.usual[tree.nodes[at].feature()]);
  }
  return steps * bins.rows > kStepsPerSearch * bins.sparse.rows.place.size() * ensemble.trees.size();
}

std::uint32_t UsualPaths::leaf(const CellLists& rows, std::size_t row) const {
  std::uint32_t at = 0;
  while (true) {
    const Path& path = paths_[path_of_[at]];
    const Question* from = questions_.data() + path.first;
    const Question* const last = questions_.data() + path.last;
    std::uint32_t turn = UINT32_MAX;  // the first node of the path that sends the row elsewhere
    for (std::size_t cell = rows.start[row]; cell < rows.start[row + 1] && from != last; ++cell) {
      const std::uint32_t column = rows.place[cell];
      from = std::lower_bound(from, last, column, [](const Question& q, std::uint32_t c) { return q.column < c; });
      for (const Question* q = from; q != last && q->column == column && q->node < turn; ++q) {
        const std::uint32_t next = nodes_[q->node].next(rows.code[cell]);
        if (next != usual_child(q->node)) {
          turn = q->node;
          at = next;
        }
      }
    }
    if (turn == UINT32_MAX) return path.leaf;
  }
}

}  // namespace venire
