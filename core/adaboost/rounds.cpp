#include "adaboost/rounds.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace venire {
namespace {

// A member without error would count infinitely much.
constexpr double kLeastError = 1e-6;

}  // namespace

double pairwise_sum(const double* numbers, std::size_t count) {
  constexpr std::size_t kLanes = 8, kBlock = 128;
  if (count < kLanes) {
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += numbers[i];
    return sum;
  }
  if (count > kBlock) {
    const std::size_t half = count / 2 - count / 2 % kLanes;
    return pairwise_sum(numbers, half) + pairwise_sum(numbers + half, count - half);
  }
  std::array<double, kLanes> lane;
  std::copy_n(numbers, kLanes, lane.begin());
  std::size_t i = kLanes;
  for (; i + kLanes <= count; i += kLanes) {
    for (std::size_t k = 0; k < kLanes; ++k) lane[k] += numbers[i + k];
  }
  double sum = ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  for (; i < count; ++i) sum += numbers[i];
  return sum;
}

AdaBoosting::AdaBoosting(Members& members, std::vector<Row> rows, std::vector<double> weights, double total,
                         AdaRules rules)
    : members_(members), rows_(std::move(rows)), first_(std::move(weights)), total_(total), rules_(rules),
      weights_(first_), everywhere_(members.rows(), 0.0), of_wrong_(rows_.size() + 1),
      wrong_(std::make_unique<bool[]>(members.rows())) {}

// No question is asked of a row here or below: on a table of some size the processor would guess every answer wrong.
double AdaBoosting::error() {
  std::size_t count = 0;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    of_wrong_[count] = weights_[i];
    count += wrong_[rows_[i]] ? 1u : 0u;
  }
  return pairwise_sum(of_wrong_.data(), count);
}

AdaBoosting::RoundWeight AdaBoosting::weigh_round(double error) const {
  const int classes = members_.classes();
  const double clipped = std::min(std::max(error, kLeastError), 1 - kLeastError);
  const double gain = rules_.samme && classes > 2 ? std::log(static_cast<double>(classes - 1)) : 0.0;
  const double alpha = 0.5 * (std::log((1 - clipped) / clipped) + gain);
  if (error <= 0) return {alpha, true, true, false};
  const double limit = rules_.samme ? 1 - 1.0 / std::max(classes, 2) : 0.5;
  if (error < limit || (rules_.when_weak == WhenWeak::invert && alpha < 0)) return {alpha, true, false, false};
  const bool reset = rules_.when_weak == WhenWeak::reset;
  return {0, false, !reset, reset};
}

void AdaBoosting::reweigh(double alpha) {
  const std::array<double, 2> factor{std::exp(-alpha), std::exp(alpha)};
  for (std::size_t i = 0; i < rows_.size(); ++i) weights_[i] *= factor[wrong_[rows_[i]] ? 1u : 0u];
  const double sum = pairwise_sum(weights_.data(), weights_.size());
  for (double& weight : weights_) weight /= sum;
}

bool AdaBoosting::advance(std::uint32_t rounds) {
  for (std::uint32_t round = 0; round < rounds && !ended_; ++round) {
    for (std::size_t i = 0; i < rows_.size(); ++i) everywhere_[rows_[i]] = weights_[i] * total_;
    Tree tree = members_.grow(everywhere_.data(), wrong_.get());
    if (errors_.empty()) first_tree_ = tree;
    errors_.push_back(error());
    const RoundWeight weighed = weigh_round(errors_.back());
    if (weighed.kept) {
      trees_.push_back(std::move(tree));
      alphas_.push_back(weighed.alpha);
    }
    ended_ = weighed.last;
    if (weighed.reset) weights_ = first_;
    else if (!ended_) reweigh(weighed.alpha);
  }
  return !ended_;
}

Ensemble AdaBoosting::ensemble() const { return members_.ensemble(alone() ? std::vector<Tree>{first_tree_} : trees_); }

}  // namespace venire
