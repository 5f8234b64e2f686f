// From a start to the optimum under one penalty: steps by differences of the gradient, and in double precision where
// these are too coarse.
#include <algorithm>
#include <cmath>

#include "logistic/coefficient_vectors.hpp"
#include "logistic/path.hpp"

namespace venire {
namespace {

constexpr double kTolerance = 1e-7;  // of the gradient, a row
constexpr double kClose = 1e-10;     // squared distance from the optimum as curvature measures it, at most
// The same a row: as far as a gradient of kTolerance is where curvature is a tenth a row.
constexpr double kCloseRow = 1e-13;
// Times the error measured when differences were last checked: a distance that is still relied on.
constexpr double kSafe = 3;
constexpr double kSure = 7;           // times it: what an optimum may be off by
constexpr double kForgotten = 0.1;    // of it is remembered at a check that went better
constexpr std::size_t kSteps = 150;   // for one penalty; usually three to twenty
constexpr std::size_t kPatience = 3;  // steps in which the distance should halve
constexpr std::size_t kLong = 40;     // steps of many classes after which that of all together is needed
// A step of two classes that leaves more of the gradient has the curvature computed where it led to.
constexpr double kSlow = 0.1;

}  // namespace

// How far a point with this gradient is from the optimum; the way there is in `direction_`.
LogisticPath::Distance LogisticPath::distance(const std::vector<double>& gradient) {
  return {largest(gradient), quasi_newton_.descent_direction(gradient, direction_)};
}

// How close to the optimum is close enough. Curvature is what the rows know of the coefficients: at a squared distance
// d the score of any row is off by at most √d of its own standard error, and probabilities of the training rows by ½
// √(d / rows), root mean square. The penalty is part of the curvature, so a score is off by at most √(d / λ) times the
// length of its row, too; and that counts where few training rows are like it.
double LogisticPath::close_enough(double penalty) const {
  return std::min(kClose, kCloseRow * total_weight_) * std::min(1.0, penalty);
}

bool LogisticPath::minimise(double penalty, const Ask& ask) {
  const double enough = kTolerance * total_weight_, close = close_enough(penalty);
  Distance base_distance = distance_of_base(penalty);
  std::size_t bases = exact_gradients_;
  if (base_beta_ != beta_) add_start_update(penalty);
  add_penalty(likelihood_gradient_, beta_, penalty, gradient_);
  Distance now = base_beta_ == beta_ ? base_distance : distance(gradient_);
  double best[kPatience], last = 0;
  std::fill_n(best, kPatience, HUGE_VAL);
  const auto converged = [&](const Distance& at) { return at.gradient <= enough && at.squared <= close; };
  for (std::size_t step = 0; step < kSteps; ++step) {
    if (ask) ask();
    if (!std::isfinite(now.squared) || now.squared < 0) return false;
    const bool exact = base_beta_ == beta_;
    const Distance uncertainty{error_.gradient * base_distance.gradient, error_.squared * base_distance.squared};
    const bool sure = kSure * uncertainty.gradient <= enough && kSure * kSure * uncertainty.squared <= close;
    const auto unreliable = [&](const Distance& at) {
      return at.squared <= kSafe * kSafe * uncertainty.squared || at.gradient <= kSafe * uncertainty.gradient;
    };
    if (converged(now) && (exact || sure)) return true;
    const bool stuck = now.squared > 0.5 * best[step % kPatience];
    best[step % kPatience] = now.squared;
    if (!exact && (converged(now) || unreliable(now) || stuck)) {
      measure_difference_error(penalty, base_distance);
      std::fill_n(best, kPatience, HUGE_VAL);
    } else {
      // As much closer as the last step came, the next would be beyond what differences can resolve.
      const double shrink = now.squared < last ? now.squared / last : 1.0;
      const Distance next{std::sqrt(shrink) * now.gradient, shrink * now.squared};
      const bool exactly = !exact && (unreliable(next) || (converged(next) && !sure));
      last = now.squared;
      if (!take_step(penalty, exactly, base_distance)) return false;
      // Was not measured this time.
      if (exactly)
        error_ = {std::max(error_.gradient, kUnmeasured.gradient), std::max(error_.squared, kUnmeasured.squared)};
      ++steps_taken_;
      const bool slow =
          outputs_ == 1 ? largest(gradient_) > std::max(enough, kSlow * now.gradient) : steps_taken_ % kLong == 0;
      if (slow) {
        if (!update_curvature(penalty, outputs_ > 1)) return false;
        add_penalty(likelihood_gradient_, beta_, penalty, gradient_);
      }
    }
    if (exact_gradients_ != bases) base_distance = distance_of_base(penalty);
    bases = exact_gradients_;
    now = base_beta_ == beta_ ? base_distance : distance(gradient_);
  }
  return false;
}

LogisticPath::Distance LogisticPath::distance_of_base(double penalty) {
  add_penalty(base_gradient_, base_beta_, penalty, gradient_change_);
  return distance(gradient_change_);
}

// The way from the last penalty's optimum to here is a first update.
void LogisticPath::add_start_update(double penalty) {
  for (std::size_t i = 0; i < size(); ++i) {
    beta_change_[i] = beta_[i] - base_beta_[i];
    gradient_change_[i] =
        likelihood_gradient_[i] - base_gradient_[i] + (i % stride_ == 0 ? 0.0 : penalty * beta_change_[i]);
  }
  quasi_newton_.add_update(beta_change_, gradient_change_);
}

// The gradient in double precision, and how wrong it was by differences.
void LogisticPath::measure_difference_error(double penalty, const Distance& base_distance) {
  gradient_change_ = gradient_;
  compute_gradient();
  add_penalty(likelihood_gradient_, beta_, penalty, gradient_);
  for (std::size_t i = 0; i < size(); ++i) gradient_change_[i] -= gradient_[i];
  const Distance wrong = distance(gradient_change_);
  error_.gradient = std::max(wrong.gradient / base_distance.gradient, kForgotten * error_.gradient);
  error_.squared = std::max(wrong.squared / base_distance.squared, kForgotten * error_.squared);
}

// One step: the whole of it, unless the slope there says that the lowest point was passed long before. If it is double
// precision that says so, the direction was not downhill, but what differences made of it: then only the gradient is
// taken anew, where it led from.
bool LogisticPath::take_step(double penalty, bool exactly, const Distance& base_distance) {
  const double downhill = -inner_product(gradient_, direction_);
  previous_beta_ = beta_;
  gradient_change_ = gradient_;
  double share = 1;
  for (int tries = 0; tries < 30; ++tries) {
    for (std::size_t i = 0; i < size(); ++i) beta_[i] = previous_beta_[i] + share * direction_[i];
    exactly ? compute_gradient() : compute_gradient_by_difference();
    add_penalty(likelihood_gradient_, beta_, penalty, gradient_);
    const double uphill = inner_product(gradient_, direction_);
    if (uphill <= 0.5 * downhill) {
      for (std::size_t i = 0; i < size(); ++i) {
        beta_change_[i] = beta_[i] - previous_beta_[i];
        gradient_change_[i] = gradient_[i] - gradient_change_[i];
      }
      quasi_newton_.add_update(beta_change_, gradient_change_);
      return true;
    }
    if (exactly) {
      beta_ = previous_beta_;
      gradient_ = gradient_change_;
      measure_difference_error(penalty, base_distance);
      return true;
    }
    share *= std::max(0.1, downhill / (downhill + uphill));  // where a straight line between the two slopes is zero
  }
  return false;
}

}  // namespace venire
