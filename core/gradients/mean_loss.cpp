#include <algorithm>
#include <cmath>

#include "gradients/gradient.hpp"

namespace venire {
namespace {

double quantile_loss(double left, double alpha) { return left > 0 ? alpha * left : (alpha - 1) * left; }

double huber_loss(double left, double delta) {
  const double size = std::abs(left);
  return size <= delta ? left * left / 2 : delta * (size - delta / 2);
}

double softmax_loss(const LossTarget& target, const double* scores, Row row) {
  double most = scores[row], total = 0;
  for (std::size_t k = 1; k < target.outputs; ++k) most = std::max(most, scores[k * target.rows + row]);
  for (std::size_t k = 0; k < target.outputs; ++k) total += std::exp(scores[k * target.rows + row] - most);
  return most + std::log(total) - scores[static_cast<std::size_t>(target.y[row]) * target.rows + row];
}

double loss_at(const LossTarget& target, double delta, const double* scores, Row row) {
  if (target.loss == Loss::multinomial) return softmax_loss(target, scores, row);
  const double s = scores[row], y = target.y[row], left = y - s;
  switch (target.loss) {
    case Loss::absolute: return std::abs(left);
    case Loss::quantile: return quantile_loss(left, target.alpha);
    case Loss::huber: return huber_loss(left, delta);
    case Loss::poisson: return std::exp(s) - y * s;
    case Loss::gamma: return s + y * std::exp(-s);
    case Loss::logistic: return std::max(s, 0.0) + std::log1p(std::exp(-std::abs(s))) - y * s;
    case Loss::exponential: return std::exp(y > 0 ? -s : s);
    default: return left * left / 2;
  }
}

double huber_delta(const LossTarget& target, const double* scores, const RowSet& rows) {
  std::vector<std::pair<double, double>> sizes;
  sizes.reserve(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row row = rows[i];
    const double weight = target.weights == nullptr ? 1.0 : target.weights[row];
    if (weight > 0) sizes.emplace_back(std::abs(target.y[row] - scores[row]), weight);
  }
  return weighted_quantile(sizes, target.alpha);
}

}  // namespace

double mean_loss(const LossTarget& target, const double* scores, const RowSet& rows) {
  const double delta = target.loss == Loss::huber ? huber_delta(target, scores, rows) : 0;
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Row row = rows[i];
    const double weight = target.weights == nullptr ? 1.0 : target.weights[row];
    if (weight <= 0) continue;
    sum += weight * loss_at(target, delta, scores, row);
    total += weight;
  }
  return total > 0 ? sum / total : 0;
}

}  // namespace venire
