#include "predict/walk.hpp"

#include <algorithm>
#include <array>

#include "splits/linear_combination.hpp"

namespace venire {
namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kWalks = 8;  // of rows down a tree with more than thresholds
constexpr int kSteps = 6;          // a pass
constexpr std::size_t kCacheLine = 64;

inline std::uint32_t step(const Node* nodes, std::uint32_t at, const Code* row) {
  const Node node = nodes[at];
  return node.next(row[node.feature()]);
}

}  // namespace

void Block::shape(std::size_t from, std::size_t rows, std::size_t width) {
  first = from;
  count = rows;
  columns = width;
  // Narrow rows are padded to a power of two, so that none straddles two cache lines.
  stride = width;
  if (width < kCacheLine) {
    stride = 1;
    while (stride < width) stride *= 2;
  }
  codes.resize(count * stride);
}

void Block::load(const Columns& known, const Encoder* encoder, const Matrix& x, std::size_t from, std::size_t rows) {
  shape(from, rows, known.size());
  if (encoder != nullptr) return encoder->rows(x, from, from + rows, codes.data(), stride, 1);
  with_scalar(x, [&](auto* data) {
    for (std::size_t i = 0; i < rows; ++i) {
      const auto* value = data + static_cast<std::ptrdiff_t>(from + i) * x.row_stride;
      for (std::size_t j = 0; j < columns; ++j, value += x.column_stride) {
        codes[i * stride + j] = known[j].code(static_cast<double>(*value));
      }
    }
  });
}

void Block::load(const Bins& bins, std::size_t from, std::size_t rows) {
  shape(from, rows, bins.columns.size());
  if (bins.is_sparse()) return load_sparse(bins.sparse, [&](std::size_t i) { return from + i; });
  for (std::size_t j = 0; j < columns; ++j) {
    const Code* code = bins.column(j) + from;
    for (std::size_t i = 0; i < rows; ++i) codes[i * stride + j] = code[i];
  }
}

void Block::load(const Bins& bins, const Row* rows, std::size_t number) {
  shape(0, number, bins.columns.size());
  if (bins.is_sparse()) return load_sparse(bins.sparse, [&](std::size_t i) { return std::size_t{rows[i]}; });
  for (std::size_t j = 0; j < columns; ++j) {
    const Code* code = bins.column(j);
    for (std::size_t i = 0; i < number; ++i) codes[i * stride + j] = code[rows[i]];
  }
}

// The usual codes of all columns, and over them the cells of the row.
template <class RowAt>
void Block::load_sparse(const SparseCodes& sparse, const RowAt& row_at) {
  for (std::size_t i = 0; i < count; ++i) {
    Code* to = codes.data() + i * stride;
    std::copy(sparse.usual.begin(), sparse.usual.end(), to);
    const CellLists& rows = sparse.rows;
    for (std::size_t at = rows.start[row_at(i)]; at < rows.start[row_at(i) + 1]; ++at)
      to[rows.place[at]] = rows.code[at];
  }
}

void Block::scale(const Columns& known, const Matrix& x) {
  scaled.resize(count * columns);
  with_scalar(x, [&](auto* data) {
    for (std::size_t j = 0; j < columns; ++j) {
      if (known[j].categorical) continue;
      const auto* from =
          data + static_cast<std::ptrdiff_t>(j) * x.column_stride + static_cast<std::ptrdiff_t>(first) * x.row_stride;
      for (std::size_t i = 0; i < count; ++i, from += x.row_stride) {
        scaled[i * columns + j] = Standardised::scaled(known[j], static_cast<double>(*from));
      }
    }
  });
}

std::uint32_t next_node(const Tree& tree, std::uint32_t at, const Code* row, const float* scaled) {
  const Node node = tree.nodes[at];
  switch (node.branch()) {
    case Branch::subset: {
      const Code code = row[node.feature()];
      return node.child + (tree.subsets[static_cast<std::size_t>(tree.table[at]) + code / 8] >> (code % 8) & 1u);
    }
    case Branch::multiway: {
      const std::uint8_t slot = tree.slots[static_cast<std::size_t>(tree.table[at]) + row[node.feature()]];
      return slot == 0 ? at : node.child + slot - 1u;
    }
    case Branch::oblique: {
      const auto which = static_cast<std::size_t>(tree.table[at]);
      double sum = 0;
      for (std::int32_t t = tree.term_start[which]; t < tree.term_start[which + 1]; ++t) {
        const Term& term = tree.terms[static_cast<std::size_t>(t)];
        sum += static_cast<double>(term.coefficient) * static_cast<double>(scaled[term.feature]);
      }
      return node.child + (sum > tree.term_cut[which] ? 1u : 0u);
    }
    default: return step(tree.nodes.data(), at, row);
  }
}

void Walker::walk(const Tree& tree, const Block& block, const std::uint32_t* which, std::size_t count,
                  std::uint32_t* out) {
  if (tree.table.empty()) walk_thresholds(tree, block, which, count, out);
  else walk_any(tree, block, which, count, out);
}

// Some rows take a step each in turns, so that their loads overlap; one that has arrived makes room for the next.
void Walker::walk_any(const Tree& tree, const Block& block, const std::uint32_t* which, std::size_t count,
                      std::uint32_t* out) {
  struct Walk {
    std::size_t place;
    std::uint32_t at;
    const Code* row;
    const float* scaled;
  };
  const auto begin = [&](std::size_t i) { return Walk{i, 0, block.row(which[i]), block.scaled_row(which[i])}; };
  std::array<Walk, kWalks> walks;
  std::size_t begun = 0, walking = 0;
  while (begun < count && walking < kWalks) walks[walking++] = begin(begun++);
  while (walking > 0) {
    for (std::size_t w = 0; w < walking; ++w) {
      Walk& walk = walks[w];
      const std::uint32_t next = next_node(tree, walk.at, walk.row, walk.scaled);
      if (next != walk.at) {
        walk.at = next;
        continue;
      }
      out[walk.place] = walk.at;
      walk = begun < count ? begin(begun++) : walks[--walking];
    }
  }
}

void Walker::walk_thresholds(const Tree& tree, const Block& block, const std::uint32_t* which, std::size_t count,
                             std::uint32_t* out) {
  const Node* nodes = tree.nodes.data();
  place_.resize(count + kLanes);
  at_.assign(count + kLanes, 0);
  for (std::size_t i = 0; i < count; ++i) place_[i] = static_cast<std::uint32_t>(i);
  std::size_t walking = count;
  while (walking > 0) {
    // The last group is filled up with copies of the first row, whose steps are not kept.
    for (std::size_t i = walking; i % kLanes != 0; ++i) {
      place_[i] = place_[0];
      at_[i] = at_[0];
    }
    std::size_t kept = 0;
    for (std::size_t i = 0; i < walking; i += kLanes) {
      std::array<std::uint32_t, kLanes> at;
      std::array<const Code*, kLanes> row;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        at[lane] = at_[i + lane];
        row[lane] = block.row(which[place_[i + lane]]);
      }
      for (int s = 0; s < kSteps; ++s) {
        for (std::size_t lane = 0; lane < kLanes; ++lane) at[lane] = step(nodes, at[lane], row[lane]);
      }
      const std::size_t lanes = std::min(kLanes, walking - i);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::uint32_t place = place_[i + lane];
        out[place] = at[lane];
        place_[kept] = place;
        at_[kept] = at[lane];
        kept += nodes[at[lane]].is_leaf(at[lane]) ? 0 : 1;
      }
    }
    walking = kept;
  }
}

}  // namespace venire
