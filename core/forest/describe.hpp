// What trees are called and what they look like from outside: names of settings, sizes, questions in plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "bins/binning.hpp"
#include "splits/criteria.hpp"
#include "tree/sample.hpp"

namespace venire {

// Throw std::invalid_argument for a name there is not.
Criterion criterion_of(const std::string& name);
Sampling sampling_of(const std::string& name);

struct TreeSize {
  std::uint32_t nodes = 0, leaves = 0, depth = 0;
};
TreeSize size_of(const Tree& tree);

// "leaf", "threshold", "subset", "multiway" or "oblique".
const char* branch_name(const Tree& tree, std::uint32_t node);

// Which child each category of a categorical question goes to, by code; the last entry is for missing values; -1 where
// the node has seen none.
std::vector<std::int32_t> children_by_code(const Columns& columns, const Tree& tree, std::uint32_t node);

}  // namespace venire
