// Boosting: round after round, a tree (one an output) is fitted to the gradients at the present scores and added to
// them.
//
//   scores -> gradients -> pairs (whole numbers) -> tree -> scores + learning rate × leaf values
//
// Rows of weight 0 take no part in growing, but have their scores kept up to date: they are what early stopping looks
// at. Several outputs give one tree each from the same scores, side by side on threads. Cost per round and row, besides
// growing: 1 to 3 ns for the gradient, 1 ns for the pair, 2 ns for the new score. A few rows left out walk down the
// tree, at 50 ns each; where they are many, all rows of the table are asked without walking (predict/quick_scores.hpp),
// at 3 ns each.
//
// Memory: the codes of the bins and their packs, 8 bytes a row for the scores and 8 for the tree's order of the rows, 8
// for the pairs and 8 for gradients; lists of rows where not all take part. A booster that takes its bins over holds
// packs alone, and of a loss that is asked row by row no gradients either: it asks three times a round instead of once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "boost/grow.hpp"
#include "forest/ensemble.hpp"
#include "gradients/gradient.hpp"

namespace venire {

struct BoostPlan {
  BoostRules rules;
  Loss loss = Loss::squared;
  double alpha = 0.9;
  std::size_t outputs = 1;
  double learning_rate = 0.1;
  double subsample = 1, colsample = 1;  // shares of the rows of a round, and of the columns of a tree
  // Rows by gradient: this share of the rows with the largest gradients, and a share drawn from all others, which then
  // count for those not drawn. 1 and 0: all rows.
  double top_share = 1, other_share = 0;
  std::uint32_t levels = 0;  // to which gradients are rounded at random (quantised_pairs.hpp); 0: they are not
  std::uint64_t seed = 0;
  bool keep_losses = false;
};

// The mean losses after every round: of the rows it was grown on, of the others of positive weight, and what these were
// before it. A round that leaves no such row out has 0.
struct RoundLosses {
  std::vector<double> train, others, others_before;
};

// The leaf in which a coded row ends; for trees of thresholds and subsets.
std::uint32_t leaf_of(const Tree& tree, const Bins& bins, Row row);

class Booster {
 public:
  // A number a row, whoever holds them.
  using Numbers = std::shared_ptr<const double>;

  // `bins` must outlive the booster. `y` holds numbers or class codes; empty `weights` are all 1; an empty
  // `start` is the loss's own. Of a table in `parts` all are of this part, and `start` is given.
  Booster(const Bins& bins, Numbers y, std::vector<double> weights, std::vector<double> start, BoostPlan plan,
          std::size_t threads, Parts parts = {});
  // The same by bins of its own, in less memory.
  Booster(Bins&& bins, Numbers y, std::vector<double> weights, std::vector<double> start, BoostPlan plan,
          std::size_t threads);
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  // Asked after every round; false: these are enough. It may look at the scores.
  using GoOn = std::function<bool()>;
  // Fills in gradients and hessians at the present scores, [output][row], weights included.
  using MakeGradients = std::function<void(float* gradient, float* hessian)>;

  // Adds so many rounds by the plan's own loss, or fewer. Threads, growers and buffers last for all of them.
  void advance(std::uint32_t rounds, std::size_t threads, const GoOn& go_on = {});
  // The same by gradients that are given.
  void advance_by(const MakeGradients& make, std::uint32_t rounds, std::size_t threads, const GoOn& go_on = {});

  // Goes on from these scores, [output][row], as after so many rounds; before the first round of its own.
  void resume(std::vector<double> scores, std::uint64_t round);

  std::size_t rows() const { return bins_.rows; }
  std::size_t outputs() const { return plan_.outputs; }
  const std::vector<double>& scores() const { return scores_; }  // [output][row]
  const std::vector<double>& start() const { return start_; }
  const RoundLosses& losses() const { return losses_; }
  Ensemble ensemble() const;

 private:
  struct Session;

  void begin(std::size_t threads);
  bool draws_rows() const { return plan_.subsample < 1 || plan_.top_share < 1; }
  bool asks_again() const;
  SlopeSource slope_source(std::size_t output, const float* gradient, const float* hessian,
                           const LossTarget& target) const;
  LossTarget target() const;
  void add_round(Session& session);
  void draw_rows(std::uint64_t key);
  void draw_rows_of_parts(std::uint64_t key);
  void draw_by_gradient(float* gradient, float* hessian, std::uint64_t key);
  void set_rows(RowSet rows);
  double loss_of_others() const;
  std::vector<std::uint32_t> draw_columns(std::uint64_t key) const;
  void settle(const std::vector<GrownLeaf>& leaves, const double* scores, Tree& tree, Pool& pool) const;
  void add_by_leaves(const std::vector<GrownLeaf>& leaves, const Tree& tree, double* scores, Pool& pool) const;
  void add_everywhere(const Tree& tree, double* scores, Pool& pool) const;
  Tree fit_output(std::size_t output, const float* gradient, const float* hessian, BoostGrower& grower,
                  Large<Pair>& pairs, Pool& pool);

  Bins taken_;  // over from its owner
  const Bins& bins_;
  const Numbers y_;
  std::vector<double> weights_, start_;
  const BoostPlan plan_;
  const Parts parts_;
  Parts known_parts_, round_parts_;  // the rows of positive weight, and of this round, as the parts have them
  Packs packs_;
  RowSet known_;             // rows of positive weight
  RowSet rows_;              // those of this round
  std::vector<Row> others_;  // all the rest
  std::vector<double> scores_;
  std::vector<Tree> trees_;
  RoundLosses losses_;
  std::uint64_t round_ = 0;
};

}  // namespace venire
