#include "forest/describe.hpp"

#include <algorithm>
#include <stdexcept>

namespace venire {

Criterion criterion_of(const std::string& name) {
  if (name == "entropy") return Criterion::entropy;
  if (name == "gain_ratio") return Criterion::gain_ratio;
  if (name == "gini") return Criterion::gini;
  if (name == "error") return Criterion::error;
  if (name == "variance") return Criterion::variance;
  if (name == "absolute") return Criterion::absolute;
  if (name == "poisson") return Criterion::poisson;
  throw std::invalid_argument("unknown criterion: " + name);
}

Sampling sampling_of(const std::string& name) {
  if (name == "all") return Sampling::all;
  if (name == "bootstrap") return Sampling::bootstrap;
  if (name == "without_replacement") return Sampling::without_replacement;
  if (name == "balanced") return Sampling::balanced;
  throw std::invalid_argument("unknown sampling: " + name);
}

TreeSize size_of(const Tree& tree) {
  TreeSize size;
  size.nodes = static_cast<std::uint32_t>(tree.nodes.size());
  std::vector<std::uint32_t> depth(tree.nodes.size(), 0);
  for (std::uint32_t node = 0; node < size.nodes; ++node) {
    size.depth = std::max(size.depth, depth[node]);
    if (tree.nodes[node].is_leaf(node)) ++size.leaves;
    for (std::uint32_t c = 0; c < tree.children(node); ++c) depth[tree.nodes[node].child + c] = depth[node] + 1;
  }
  return size;
}

const char* branch_name(const Tree& tree, std::uint32_t node) {
  if (tree.nodes[node].is_leaf(node)) return "leaf";
  switch (tree.nodes[node].branch()) {
    case Branch::subset: return "subset";
    case Branch::multiway: return "multiway";
    case Branch::oblique: return "oblique";
    default: return "threshold";
  }
}

std::vector<std::int32_t> children_by_code(const Columns& columns, const Tree& tree, std::uint32_t node) {
  const Node& one = tree.nodes[node];
  const auto at = static_cast<std::size_t>(tree.table[node]);
  const auto child = [&](Code bin) -> std::int32_t {
    if (one.branch() == Branch::subset) return tree.subsets[at + bin / 8] >> (bin % 8) & 1;
    return static_cast<std::int32_t>(tree.slots[at + bin]) - 1;
  };
  std::vector<std::int32_t> out;
  for (Code bin : columns[one.feature()].bin_of) out.push_back(child(bin));
  out.push_back(child(kMissing));
  return out;
}

}  // namespace venire
