#include "logistic/extrapolation.hpp"

#include <algorithm>
#include <cmath>

#include "logistic/path.hpp"

namespace venire {
namespace {

constexpr std::size_t kMost = 6;      // points of a polynomial
constexpr std::size_t kFew = 2;       // points all of which it is laid through, over the logarithm
constexpr std::size_t kMeasures = 4;  // of the penalty

}  // namespace

void LogisticTrail::add(double penalty, const std::vector<double>& at) {
  if (!points_.empty() && points_.back().penalty == penalty) points_.pop_back();  // a polynomial takes one value at a place
  if (points_.size() > kMost) points_.erase(points_.begin());
  points_.push_back({penalty, at});
  best_ = best_way();
  if (responses_.any()) responses_.add(penalty, at, best_.miss);
}

double LogisticTrail::measured(std::size_t measure, double penalty) const {
  switch (measure) {
    case 0: return std::log(penalty);
    case 1: return std::sqrt(std::sqrt(penalty));
    case 2: return penalty / (penalty + 0.5 * total_);
    default: return penalty / (penalty + 0.05 * total_);
  }
}

void LogisticTrail::add_told(const Way& way, std::size_t end, double penalty, double sign, std::vector<double>& to) const {
  const double place = measured(way.measure, penalty);
  double places[kMost];
  for (std::size_t i = 0; i < way.points; ++i) places[i] = measured(way.measure, points_[end - way.points + i].penalty);
  for (std::size_t i = 0; i < way.points; ++i) {
    double share = sign;
    for (std::size_t j = 0; j < way.points; ++j) {
      if (j != i) share *= (place - places[j]) / (places[i] - places[j]);
    }
    const std::vector<double>& at = points_[end - way.points + i].at;
    for (std::size_t c = 0; c < to.size(); ++c) to[c] += share * at[c];
  }
}

LogisticTrail::Way LogisticTrail::best_way() {
  if (points_.size() <= kFew) return {0, points_.size(), HUGE_VAL};
  const Point& last = points_.back();
  Way best{0, 1, HUGE_VAL};
  for (std::size_t measure = 0; measure < kMeasures; ++measure) {
    for (std::size_t count = 2; count < points_.size(); ++count) {
      miss_ = last.at;
      add_told({measure, count, 0.0}, points_.size() - 1, last.penalty, -1.0, miss_);
      const double squared = inner(miss_, miss_);
      if (squared < best.miss) best = {measure, count, squared};
    }
  }
  return best;
}

void LogisticTrail::tell(double penalty, std::vector<double>& at) {
  if (responses_.any()) responses_.tell(penalty);
  if (points_.empty()) return;
  if (responses_.any() && !(best_.miss < responses_.miss())) return responses_.best(penalty, at);
  std::fill(at.begin(), at.end(), 0.0);
  add_told(best_, points_.size(), penalty, 1.0, at);
}

}  // namespace venire
