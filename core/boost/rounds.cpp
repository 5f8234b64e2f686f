#include "boost/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/random.hpp"
#include "gradients/quantised_pairs.hpp"
#include "gradients/row_loops.hpp"
#include "gradients/sample.hpp"
#include "predict/quick_scores.hpp"

namespace venire {

std::uint32_t leaf_of(const Tree& tree, const Bins& bins, Row row) {
  std::uint32_t at = 0;
  while (!tree.nodes[at].is_leaf(at)) {
    const Node node = tree.nodes[at];
    const Code code = bins.code(row, node.feature());
    if (node.branch() == Branch::subset) {
      at = node.child + (tree.subsets[static_cast<std::size_t>(tree.table[at]) + code / 8] >> (code % 8) & 1u);
    } else {
      at = node.next(code);
    }
  }
  return at;
}

namespace {

// What walking one row costs, and getting ready to ask all without walking, in rows asked so.
constexpr std::size_t kWalkRows = 16, kPrepareRows = 800;

// What rests on the order of rows, or on all of them at once, is not for a table in parts.
void check_parts(const BoostPlan& plan, const Bins& bins, const std::vector<double>& start, const Parts& parts) {
  const bool by_rows = plan.top_share < 1 || plan.levels > 0 || plan.keep_losses;
  const bool by_order = renews(plan.loss) || plan.loss == Loss::huber || plan.loss == Loss::own;
  if (by_rows || by_order || start.empty() || bins.is_sparse())
    throw std::invalid_argument("this boosting needs all rows in one place");
  if (parts.end() - parts.begin() != bins.rows) throw std::invalid_argument("the bins are not of this part");
}

RowSet rows_that_count(const std::vector<double>& weights, std::size_t rows, bool listed) {
  const bool all = std::all_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; });
  if (all && !listed) return RowSet::all(rows);
  std::vector<Row> found;
  found.reserve(rows);
  for (std::size_t i = 0; i < rows; ++i) {
    if (weights.empty() || weights[i] > 0) found.push_back(static_cast<Row>(i));
  }
  return found;
}

double value_of(const Tree& tree, std::uint32_t node) {
  return tree.values[static_cast<std::size_t>(tree.value[node])];
}

}  // namespace

Booster::Booster(const Bins& bins, Numbers y, std::vector<double> weights, std::vector<double> start, BoostPlan plan,
                 std::size_t threads, Parts parts)
    : bins_(bins), y_(std::move(y)), weights_(std::move(weights)), start_(std::move(start)), plan_(std::move(plan)),
      parts_(std::move(parts)), round_parts_(parts_) {
  if (!parts_.alone()) check_parts(plan_, bins_, start_, parts_);
  begin(threads);
}

Booster::Booster(Bins&& bins, Numbers y, std::vector<double> weights, std::vector<double> start, BoostPlan plan,
                 std::size_t threads)
    : taken_(std::move(bins)), bins_(taken_), y_(std::move(y)), weights_(std::move(weights)), start_(std::move(start)),
      plan_(std::move(plan)) {
  begin(threads);
}

void Booster::begin(std::size_t threads) {
  if (parts_.rows(bins_.rows) >= kMaxBoostRows)
    throw std::invalid_argument("boosting takes at most 1,073,741,823 rows");
  if (!levels_serve(plan_.levels, bins_.rows)) {
    throw std::invalid_argument("levels are 0 or 2 to 256, and rows times levels below 2,147,483,647");
  }
  known_ = rows_that_count(weights_, bins_.rows, draws_rows() || bins_.is_sparse());
  if (known_.empty() && parts_.alone()) throw std::invalid_argument("every row has weight 0");
  if (start_.empty()) start_ = start_scores(target());
  if (start_.size() != plan_.outputs) throw std::invalid_argument("one start score an output");
  Pool pool(threads);
  // Rows that take no part are found leaf by leaf in the columns.
  const bool in_place = &bins_ == &taken_ && !bins_.is_sparse() && known_.size() == bins_.rows && !draws_rows();
  packs_ = in_place ? pack_and_take(taken_, pool) : pack_bins(bins_, pool, parts_.alone());
  scores_.resize(plan_.outputs * bins_.rows);
  for (std::size_t k = 0; k < plan_.outputs; ++k) {
    std::fill_n(scores_.begin() + static_cast<std::ptrdiff_t>(k * bins_.rows), bins_.rows, start_[k]);
  }
}

void Booster::resume(std::vector<double> scores, std::uint64_t round) {
  if (scores.size() != scores_.size()) throw std::invalid_argument("scores are [output, row]");
  scores_ = std::move(scores);
  round_ = round;
}

// Where memory is to be saved, and all rows have gradients that rest on nothing but themselves.
bool Booster::asks_again() const {
  return packs_.in_place_of_columns() && plan_.outputs == 1 && plan_.levels == 0 && row_by_row(plan_.loss);
}

SlopeSource Booster::slope_source(std::size_t output, const float* gradient, const float* hessian,
                                  const LossTarget& target) const {
  if (asks_again()) return {nullptr, nullptr, &target, scores_.data() + output * bins_.rows};
  return {gradient, hessian};
}

double Booster::loss_of_others() const { return draws_rows() ? mean_loss(target(), scores_.data(), others_) : 0.0; }

LossTarget Booster::target() const {
  return {plan_.loss, plan_.alpha, bins_.rows, plan_.outputs, y_.get(), weights_.empty() ? nullptr : weights_.data()};
}

void Booster::draw_rows(std::uint64_t key) {
  if (!parts_.alone()) return draw_rows_of_parts(key);
  if (plan_.subsample >= 1 && !rows_.empty()) return;
  set_rows(plan_.subsample < 1 ? RowSet(draw_share(known_.listed(), plan_.subsample, key)) : known_);
}

// Every part draws the rows of all, and keeps its own.
void Booster::draw_rows_of_parts(std::uint64_t key) {
  const std::size_t parts = parts_.first().size() - 1;
  if (known_parts_.alone()) {
    std::vector<std::size_t> first = parts_.first();
    if (!weights_.empty()) {
      std::vector<std::uint64_t> count(parts, 0);
      count[parts_.own()] = known_.size();
      parts_.add(count.data(), parts);
      for (std::size_t part = 0; part < parts; ++part) first[part + 1] = first[part] + count[part];
      if (first.back() == 0) throw std::invalid_argument("every row has weight 0");
    }
    known_parts_ = round_parts_ = parts_.of_rows(first);
    set_rows(known_);
  }
  if (plan_.subsample >= 1) return;
  const std::vector<std::size_t>& of_known = known_parts_.first();
  std::vector<std::size_t> first(parts + 1, 0);
  std::vector<Row> rows;
  drawn_places(of_known.back(), plan_.subsample, key, [&, part = std::size_t{0}](std::size_t place) mutable {
    while (place >= of_known[part + 1]) ++part;
    ++first[part + 1];
    if (part == parts_.own()) rows.push_back(known_[place - known_parts_.begin()]);
  });
  std::partial_sum(first.begin(), first.end(), first.begin());
  round_parts_ = parts_.of_rows(std::move(first));
  set_rows(std::move(rows));
}

// The sum of a node's gradients stays right on average: a row that is drawn with probability p counts 1 / p times. Of
// rows with equal gradients, the first count as larger.
void Booster::draw_by_gradient(float* gradient, float* hessian, std::uint64_t key) {
  const std::size_t all = known_.size(), rows = bins_.rows;
  std::vector<float> size(rows, 0.0f);
  for (const Row row : known_.listed()) {
    for (std::size_t k = 0; k < plan_.outputs; ++k) size[row] += std::abs(gradient[k * rows + row]);
  }
  const auto keep = static_cast<std::size_t>(std::llround(plan_.top_share * static_cast<double>(all)));
  auto [top, rest] = part_by_size(known_.listed(), size, keep);
  if (!rest.empty()) {
    const double wanted = plan_.other_share * static_cast<double>(all) / static_cast<double>(rest.size());
    const std::vector<Row> drawn = draw_share(rest, std::min(wanted, 1.0), key);
    const auto factor = static_cast<float>(static_cast<double>(rest.size()) / static_cast<double>(drawn.size()));
    for (const Row row : drawn) {
      for (std::size_t k = 0; k < plan_.outputs; ++k) {
        gradient[k * rows + row] *= factor;
        hessian[k * rows + row] *= factor;
      }
    }
    const auto middle = static_cast<std::ptrdiff_t>(top.size());
    top.insert(top.end(), drawn.begin(), drawn.end());
    std::inplace_merge(top.begin(), top.begin() + middle, top.end());
  }
  set_rows(std::move(top));
}

void Booster::set_rows(RowSet rows) {
  rows_ = std::move(rows);
  others_ = left_out(rows_, bins_.rows);
}

std::vector<std::uint32_t> Booster::draw_columns(std::uint64_t key) const {
  std::vector<std::uint32_t> columns(bins_.columns.size());
  std::iota(columns.begin(), columns.end(), 0u);
  return plan_.colsample < 1 ? draw_share(columns, plan_.colsample, key) : columns;
}

// The values of the leaves: renewed where the loss asks for it, and scaled.
void Booster::settle(const std::vector<GrownLeaf>& leaves, const double* scores, Tree& tree, Pool& pool) const {
  const auto value_at = [&](const GrownLeaf& leaf) -> double& {
    return tree.values[static_cast<std::size_t>(tree.value[leaf.node])];
  };
  pool.run(renews(plan_.loss) ? leaves.size() : 0, [&](std::size_t which, std::size_t) {
    value_at(leaves[which]) = renewed(target(), scores, leaves[which].rows, leaves[which].count);
  });
  for (const GrownLeaf& leaf : leaves) value_at(leaf) *= plan_.learning_rate;
}

// The scores of the tree's rows by its leaves, those of the others by walking. Scores are taken block by block, each by
// all leaves, so that they wait in a cache; rows of a leaf ascend, so every leaf goes on where the block before left
// it.
void Booster::add_by_leaves(const std::vector<GrownLeaf>& leaves, const Tree& tree, double* scores, Pool& pool) const {
  over_blocks(bins_.rows, pool, [&](std::size_t first, std::size_t last) {
    for (const GrownLeaf& leaf : leaves) {
      const Row* end = leaf.rows + leaf.count;
      const double value = value_of(tree, leaf.node);
      const Row* start = first == 0 ? leaf.rows : std::lower_bound(leaf.rows, end, first);
      for (const Row* row = start; row != end && *row < last; ++row) scores[*row] += value;
    }
  });
  over_blocks(others_.size(), pool, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) scores[others_[i]] += value_of(tree, leaf_of(tree, bins_, others_[i]));
  });
}

void Booster::add_everywhere(const Tree& tree, double* scores, Pool& pool) const {
  const QuickScores quick(bins_.columns, tree);
  over_blocks(bins_.rows, pool, [&](std::size_t first, std::size_t last) {
    for (std::size_t at = first; at < last; at += QuickScores::kRows) {
      quick.add(0, bins_.codes.data() + at, bins_.rows, std::min(QuickScores::kRows, last - at), scores + at, 1);
    }
  });
}

Tree Booster::fit_output(std::size_t output, const float* gradient, const float* hessian, BoostGrower& grower,
                         Large<Pair>& pairs, Pool& pool) {
  pairs.resize(bins_.rows);
  const LossTarget asked = target();
  const bool equal = equal_hessians(plan_.loss) && weights_.empty() && plan_.top_share >= 1;
  const std::uint64_t key = child_key(child_key(plan_.seed, round_), output + 1);
  const Slopes slopes = plan_.levels > 0 ? random_slopes(gradient, hessian, rows_, bins_.rows, plan_.levels, equal, key,
                                                         pairs.data(), pool)
                                         : round_slopes(slope_source(output, gradient, hessian, asked), rows_,
                                                        bins_.rows, pairs.data(), pool, round_parts_);
  Tree tree = grower.grow(rows_, slopes, equal, draw_columns(key), child_key(key, 1));
  double* scores = scores_.data() + output * bins_.rows;
  settle(grower.leaves(), scores, tree, pool);
  const bool many_others = others_.size() * kWalkRows > bins_.rows + kPrepareRows;
  if (many_others && !bins_.is_sparse() && QuickScores::serves(tree)) add_everywhere(tree, scores, pool);
  else add_by_leaves(grower.leaves(), tree, scores, pool);
  return tree;
}

// What a run of rounds needs and a finished booster does not: made once, however many rounds there are.
struct Booster::Session {
  Pool pool, alone{1};
  bool side_by_side;  // trees of one round on a thread each, rather than threads inside a tree
  std::vector<std::unique_ptr<BoostGrower>> growers;
  std::vector<Large<Pair>> pairs;
  std::vector<float> gradient, hessian;  // [output][row]

  Session(const Booster& booster, std::size_t threads)
      : pool(threads), side_by_side(threads > 1 && booster.plan_.outputs >= threads && booster.parts_.alone()),
        pairs(side_by_side ? threads : 1) {
    if (!booster.asks_again()) {
      gradient.resize(booster.scores_.size());
      hessian.resize(booster.scores_.size());
    }
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      growers.push_back(std::make_unique<BoostGrower>(booster.bins_, booster.packs_, booster.plan_.rules, inner(),
                                                      booster.round_parts_));
    }
  }
  Pool& inner() { return side_by_side ? alone : pool; }
};

void Booster::add_round(Session& session) {
  float *gradient = session.gradient.data(), *hessian = session.hessian.data();
  if (plan_.top_share < 1) draw_by_gradient(gradient, hessian, child_key(plan_.seed, round_));
  else draw_rows(child_key(plan_.seed, round_));
  if (plan_.keep_losses) losses_.others_before.push_back(loss_of_others());
  const std::size_t before = trees_.size(), rows = bins_.rows;
  trees_.resize(before + plan_.outputs);
  const auto fit = [&](std::size_t output, std::size_t worker) {
    const std::size_t at = output * rows;
    trees_[before + output] = fit_output(output, gradient + at, hessian + at, *session.growers[worker],
                                         session.pairs[worker], session.inner());
  };
  if (session.side_by_side) {
    session.pool.run(plan_.outputs, fit);
  } else {
    for (std::size_t output = 0; output < plan_.outputs; ++output) fit(output, 0);
  }
  if (plan_.keep_losses) {
    losses_.train.push_back(mean_loss(target(), scores_.data(), rows_));
    losses_.others.push_back(loss_of_others());
  }
  ++round_;
}

void Booster::advance(std::uint32_t rounds, std::size_t threads, const GoOn& go_on) {
  if (plan_.loss == Loss::own) throw std::invalid_argument("a loss of one's own advances by its gradients");
  Session session(*this, threads);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    if (!asks_again())
      gradients(target(), scores_.data(), session.gradient.data(), session.hessian.data(), session.pool);
    add_round(session);
    if (go_on && !go_on()) return;
  }
}

void Booster::advance_by(const MakeGradients& make, std::uint32_t rounds, std::size_t threads, const GoOn& go_on) {
  Session session(*this, threads);
  for (std::uint32_t round = 0; round < rounds; ++round) {
    make(session.gradient.data(), session.hessian.data());
    add_round(session);
    if (go_on && !go_on()) return;
  }
}

Ensemble Booster::ensemble() const {
  Ensemble out;
  out.columns = without_scale(bins_.columns);
  out.outputs = 1;
  out.trees = trees_;
  return out;
}

}  // namespace venire
