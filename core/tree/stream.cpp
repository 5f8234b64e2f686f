#include "tree/stream.hpp"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/pages.hpp"
#include "tree/grower.hpp"
#include "tree/row_encoder.hpp"

namespace venire {
namespace {

// Nodes of the top are larger than this share of the rows: there are few of them, and as many passes as they have
// levels. A tree that is very one-sided has more; after so many passes, whatever is still open is a piece.
constexpr std::uint32_t kPieces = 16, kMostPasses = 8;
// Rows whose codes are added up together, so that a column's sums stay in the first-level cache while they are.
constexpr std::size_t kTogether = 1024;
constexpr std::size_t kRowsTogether = 8192;  // a task

// Which child of a split a code goes to.
Code slot_of(const Split& split, Code code) {
  if (split.branch != Branch::threshold) return split.slot_of[code];
  const Code shift = split.missing_left ? 1 : 0;
  return static_cast<Code>(code + shift) > static_cast<Code>(split.cut + shift) ? 1 : 0;
}

template <class Groups>
class Streamed {
 public:
  Streamed(const Training& training, const GrowRules& rules, Pool& pool)
      : training_(training), rules_(rules), pool_(pool), x_(*training.matrix), columns_(training.bins->columns),
        rows_(static_cast<std::uint32_t>(training.bins->rows)), channels_(static_cast<std::size_t>(training.classes)),
        piece_rows_(std::max(kSubtreeRows, rows_ / kPieces)), encoder_(columns_, x_.scalar), place_(rows_, 0),
        builder_(columns_.size(), training.classes, training.outputs(), rules.keep_stats) {}

  Tree grow(std::uint64_t key) {
    grow_top(key);
    std::vector<std::uint32_t> pieces;
    for (std::uint32_t s = 0; s < spots_.size(); ++s) {
      if (spots_[s].kind == Kind::piece) pieces.push_back(s);
    }
    std::vector<Tree> parts(pieces.size());
    grow_pieces(pieces, parts);
    place_ = {};
    give_back();  // what the pieces needed: with the parts at hand twice, memory would be at its highest here
    builder_.reserve(parts);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      builder_.graft(spots_[pieces[i]].task.node, parts[i]);
      parts[i] = {};
    }
    return builder_.take();
  }

 private:
  using OneGrower = Grower<CountItem, Groups>;
  using Sums = std::vector<NarrowSum>;
  static constexpr std::uint32_t kNone = UINT32_MAX;

  enum class Kind : std::uint8_t { open, leaf, inner, piece };

  // A node of the top, or the root of a piece.
  struct Spot {
    Task task;
    Kind kind;
    std::uint32_t counted = kNone;  // its place among those that are counted in this pass
    std::uint32_t first = kNone;    // inner: its first child among the spots
    std::optional<Split> split;
    Sums sums;  // open: of every column, one after the other
  };

  // Of two children only the smaller is counted; the larger has what is left of their parent's sums.
  struct Rest {
    std::uint32_t spot, parent, sibling;
  };

  std::size_t per_column() const { return kCodes * channels_; }
  std::size_t per_spot() const { return columns_.size() * per_column(); }

  // ---- the top

  void grow_top(std::uint64_t key) {
    OneGrower grower(training_, rules_, nullptr, static_cast<double>(rows_));
    spots_.push_back({{builder_.add_nodes(1), 0, rows_, 0, key, 0, {}, 0}, Kind::open, kNone, kNone, std::nullopt, {}});
    std::vector<std::uint32_t> open{0};
    count(0);
    for (std::uint32_t passes = 0;; ++passes) {
      pass();
      if (open.empty()) return;
      std::vector<std::uint32_t> next;
      for (const std::uint32_t which : open) question(grower, which, passes + 1 < kMostPasses, next);
      open = std::move(next);
    }
  }

  void count(std::uint32_t which) {
    spots_[which].counted = static_cast<std::uint32_t>(counted_.size());
    counted_.push_back(which);
  }

  void question(OneGrower& grower, std::uint32_t which, bool go_on, std::vector<std::uint32_t>& open) {
    Task task = spots_[which].task;
    const NarrowSum* sums = spots_[which].sums.data();
    std::optional<Split> split = grower.examine_sums(builder_, task, sums, per_column());
    spots_[which].kind = split ? Kind::inner : Kind::leaf;
    if (!split) return;
    const std::uint32_t node = grower.ask(task.node, *split), first = static_cast<std::uint32_t>(spots_.size());
    const std::vector<std::uint32_t> rows = rows_of_children(*split, sums + split->feature * per_column());
    spots_[which].first = first;
    spots_[which].split = std::move(split);
    bool any = false;
    for (std::uint32_t slot = 0; slot < rows.size(); ++slot) {
      const Task child{node + slot, 0, rows[slot], task.depth + 1, child_key(task.key, slot), task.constant, {}, 0};
      const bool large = go_on && rows[slot] > piece_rows_;
      spots_.push_back({child, large ? Kind::open : Kind::piece, kNone, kNone, std::nullopt, {}});
      if (large) open.push_back(first + slot);
      if (large && rows.size() > 2) count(first + slot);
      any = any || large;
    }
    if (!any || rows.size() > 2) return;
    const std::uint32_t smaller = rows[0] < rows[1] ? 0 : 1;
    count(first + smaller);
    rests_.push_back({first + 1 - smaller, which, first + smaller});
  }

  std::vector<std::uint32_t> rows_of_children(const Split& split, const NarrowSum* sums) const {
    std::vector<std::uint32_t> rows(split.children, 0);
    for (int code = 0; code < kCodes; ++code) {
      for (std::size_t k = 0; k < channels_; ++k, ++sums) {
        if (*sums > 0) rows[slot_of(split, static_cast<Code>(code))] += *sums;
      }
    }
    return rows;
  }

  // Rows of nodes that asked a question after the last pass go to their child; open nodes get their sums.
  void pass() {
    std::vector<Sums> sums(pool_.threads());
    with_scalar(x_, [&](auto* data) {
      using T = std::remove_cvref_t<decltype(*data)>;
      pool_.run((rows_ + kRowsTogether - 1) / kRowsTogether, [&](std::size_t part, std::size_t worker) {
        sums[worker].resize(counted_.size() * per_spot(), 0);
        RowEncoder<T> row_encoder(data, x_, encoder_);
        const auto first = static_cast<Row>(part * kRowsTogether);
        add_rows(row_encoder, first, std::min<Row>(rows_, first + kRowsTogether), sums[worker].data());
      });
    });
    for (std::size_t c = 0; c < counted_.size(); ++c) {
      Spot& spot = spots_[counted_[c]];
      spot.sums.assign(per_spot(), 0);
      spot.counted = kNone;
      for (const Sums& one : sums) {
        if (!one.empty()) add_to(spot.sums, one.data() + c * per_spot(), 1);
      }
    }
    for (const Rest& rest : rests_) {
      spots_[rest.spot].sums = std::move(spots_[rest.parent].sums);
      add_to(spots_[rest.spot].sums, spots_[rest.sibling].sums.data(), NarrowSum{0} - 1);
    }
    for (Spot& spot : spots_) {
      if (spot.kind != Kind::open) spot.sums = {};
    }
    counted_.clear();
    rests_.clear();
  }

  // Unsigned numbers: minus one times a part of a sum takes it away.
  static void add_to(Sums& sums, const NarrowSum* more, NarrowSum times) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += times * more[i];
  }

  template <class T>
  void add_rows(RowEncoder<T>& row_encoder, Row first, Row last, NarrowSum* sums) {
    std::vector<Code> codes(kTogether * columns_.size());
    Row rows[kTogether];
    std::size_t offset[kTogether], count = 0;
    const auto add = [&] {
      row_encoder.encode(rows, count, codes.data(), kTogether);
      add_codes(codes.data(), offset, std::exchange(count, 0), sums);
    };
    for (Row row = first; row < last; ++row) {
      const std::uint32_t counted = spots_[go_on(row_encoder, row)].counted;
      if (counted == kNone) continue;
      rows[count] = row;
      offset[count] = counted * per_spot() + static_cast<std::size_t>(training_.labels[row]);
      if (++count == kTogether) add();
    }
    add();
  }

  template <class T>
  std::uint16_t go_on(const RowEncoder<T>& row_encoder, Row row) {
    const Spot& spot = spots_[place_[row]];
    if (spot.kind == Kind::inner) {
      place_[row] =
          static_cast<std::uint16_t>(spot.first + row_encoder.slot(row, *spot.split, columns_[spot.split->feature]));
    }
    return place_[row];
  }

  void add_codes(const Code* codes, const std::size_t* offset, std::size_t count, NarrowSum* sums) const {
    const std::size_t channels = Groups::kChannels > 0 ? Groups::kChannels : channels_;  // a shift where it is known
    for (std::size_t j = 0; j < columns_.size(); ++j, codes += kTogether, sums += kCodes * channels) {
      for (std::size_t i = 0; i < count; ++i) ++sums[offset[i] + codes[i] * channels];
    }
  }

  // ---- the pieces

  // A worker's piece: its rows, their codes and items.
  struct Bench {
    std::vector<Row> rows;
    std::vector<Code> codes;
    std::vector<CountItem> items;
  };

  void grow_pieces(const std::vector<std::uint32_t>& pieces, std::vector<Tree>& parts) {
    std::vector<Bench> benches(pool_.threads());
    with_scalar(x_, [&](auto* data) {
      using T = std::remove_cvref_t<decltype(*data)>;
      pool_.run(pieces.size(), [&](std::size_t i, std::size_t worker) {
        RowEncoder<T> row_encoder(data, x_, encoder_);
        take_rows(row_encoder, pieces[i], benches[worker]);
        Bench& bench = benches[worker];
        Task task = spots_[pieces[i]].task;
        task.codes = {bench.codes.data(), bench.rows.size()};
        task.copy_at = copied_from(bench.rows.size());
        OneGrower grower(training_, rules_, bench.items.data(), static_cast<double>(rows_));
        parts[i] = grower.grow(task).take();
        shrink(parts[i]);
      });
    });
  }

  template <class T>
  void take_rows(RowEncoder<T>& row_encoder, std::uint32_t piece, Bench& bench) const {
    const std::size_t count = spots_[piece].task.rows();
    bench.rows.clear();
    bench.rows.reserve(count);
    for (Row row = 0; row < rows_; ++row) {
      if (place_[row] == piece) bench.rows.push_back(row);
    }
    if (bench.codes.size() < count * columns_.size()) bench.codes = std::vector<Code>(count * columns_.size());
    bench.items.resize(count);
    row_encoder.encode(bench.rows.data(), count, bench.codes.data(), count);
    for (std::uint32_t i = 0; i < count; ++i) {
      bench.items[i] = {i, static_cast<std::uint16_t>(training_.labels[bench.rows[i]]), 1};
    }
  }

  const Training& training_;
  const GrowRules& rules_;
  Pool& pool_;
  const Matrix& x_;
  const Columns& columns_;
  const std::uint32_t rows_;
  const std::size_t channels_;
  const std::uint32_t piece_rows_;
  const Encoder encoder_;
  std::vector<std::uint16_t> place_;  // of each row, among the spots
  TreeBuilder builder_;
  std::vector<Spot> spots_;
  std::vector<std::uint32_t> counted_;
  std::vector<Rest> rests_;
};

template <class Impurity>
Tree grow_classes(const Training& training, const GrowRules& rules, std::uint64_t key, Pool& pool) {
  if (training.classes == 2) return Streamed<Histogram<CountItem, Impurity, 2>>(training, rules, pool).grow(key);
  return Streamed<Histogram<CountItem, Impurity>>(training, rules, pool).grow(key);
}

}  // namespace

bool may_stream(const Training& training, const GrowRules& rules) {
  return training.classes > 0 && training.classes <= 65536 && training.weights.empty() &&
         rules.features >= training.bins->columns.size() && rules.max_leaves == UINT32_MAX && rules.combined == 0 &&
         !rules.split.random_cuts && rules.split.among_best == 1;
}

Tree grow_streamed(const Training& training, const GrowRules& rules, std::uint64_t key, Pool& pool) {
  switch (rules.criterion) {
    case Criterion::gini: return grow_classes<Gini>(training, rules, key, pool);
    case Criterion::error: return grow_classes<Misclassified>(training, rules, key, pool);
    default: return grow_classes<Entropy>(training, rules, key, pool);
  }
}

}  // namespace venire
