// Losses: the gradient and hessian of each row at its present score, and the score to start from.
//
//   squared        (s − y)² / 2                       absolute   |s − y|            quantile  α above, 1 − α below
//   huber          squared within δ, linear beyond    δ is the α-quantile of |s − y|, taken afresh each round
//   poisson, gamma exp(s) is the mean                 logistic   exp(s) are the odds of the second class
//   exponential    exp(∓ s): exp(2 s) are the odds
//   multinomial    softmax of one score a class; the hessian carries K / (K − 1), as all step at once (decision 18)
//
// Absolute and quantile loss have no hessian worth the name: their trees are grown on signs, and their leaves say the
// median (or quantile) of the residuals (`renewed`). Cost per row: 1 to 5 ns, an exponential included; loops are
// compiled twice.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/parallel.hpp"
#include "base/types.hpp"
#include "gradients/row_set.hpp"

namespace venire {

enum class Loss { squared, absolute, huber, quantile, poisson, gamma, logistic, exponential, multinomial, own };

Loss loss_of(const std::string& name);
const char* loss_name(Loss loss);

// Equal hessians for rows of equal weight?
inline bool equal_hessians(Loss loss) {
  return loss == Loss::squared || loss == Loss::absolute || loss == Loss::huber || loss == Loss::quantile;
}
inline bool renews(Loss loss) { return loss == Loss::absolute || loss == Loss::quantile; }

struct LossTarget {
  Loss loss = Loss::squared;
  double alpha = 0.9;  // of huber and quantile
  std::size_t rows = 0, outputs = 1;
  const double* y = nullptr;        // numbers, or class codes
  const double* weights = nullptr;  // or null
};

// The constant scores that fit best, one an output, from the rows of positive weight.
std::vector<double> start_scores(const LossTarget& target);

// The share `alpha` of the weight lies at or below the answer. `values` and `weights` are put in another order.
double weighted_quantile(std::vector<std::pair<double, double>>& values, double alpha);

// The mean loss of these rows, weighted, up to terms that depend on y alone; 0 if they weigh nothing. The δ of huber is
// that of these rows.
double mean_loss(const LossTarget& target, const double* scores, const RowSet& rows);

// gradient[output][row] and hessian[output][row] at scores[output][row], times the row's weight.
void gradients(const LossTarget& target, const double* scores, float* gradient, float* hessian, Pool& pool);

// Does the gradient of a row rest on its own score and target alone? Then it may be asked for again at any time.
inline bool row_by_row(Loss loss) { return loss != Loss::huber && loss != Loss::multinomial && loss != Loss::own; }
// Of so many rows that follow each other, for such a loss: `target` and `scores` begin at the first of them.
void gradients_of_rows(const LossTarget& target, const double* scores, std::size_t count, float* gradient,
                       float* hessian);

// The best value of a leaf with these rows, for losses that renew.
double renewed(const LossTarget& target, const double* scores, const Row* rows, std::size_t count);

}  // namespace venire
