#include "gradients/gradient.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "base/cpu.hpp"
#include "base/exponential.hpp"

namespace venire {
namespace {

constexpr std::size_t kBlock = 1 << 13;  // rows a task

constexpr std::array<std::pair<const char*, Loss>, 10> kNames{{{"squared", Loss::squared},
                                                               {"absolute", Loss::absolute},
                                                               {"huber", Loss::huber},
                                                               {"quantile", Loss::quantile},
                                                               {"poisson", Loss::poisson},
                                                               {"gamma", Loss::gamma},
                                                               {"logistic", Loss::logistic},
                                                               {"exponential", Loss::exponential},
                                                               {"multinomial", Loss::multinomial},
                                                               {"own", Loss::own}}};

// One loop for all losses of one score: `which` is a constant in every copy, so only its own arithmetic is left.
// So is whether there are weights: the compiler does not move that question out of a long loop.
template <Loss Which, bool Weighted>
VENIRE_INLINE void loop(const LossTarget& target, double delta, const double* scores, std::size_t first,
                        std::size_t last, float* gradient, float* hessian) {
  const double* weights = target.weights;
  const double* targets = target.y;
  const double alpha = target.alpha;
  for (std::size_t i = first; i < last; ++i) {
    const double s = scores[i], y = targets[i];
    double g = s - y, h = 1;
    if constexpr (Which == Loss::absolute) g = g > 0 ? 1.0 : (g < 0 ? -1.0 : 0.0);
    if constexpr (Which == Loss::quantile) g = g >= 0 ? 1 - alpha : -alpha;
    if constexpr (Which == Loss::huber) g = g > delta ? delta : (g < -delta ? -delta : g);
    if constexpr (Which == Loss::poisson) {
      h = exponential(s);
      g = h - y;
    }
    if constexpr (Which == Loss::gamma) {
      h = y * exponential(-s);
      g = 1 - h;
    }
    if constexpr (Which == Loss::logistic) {
      const double p = 1 / (1 + exponential(-s));
      g = p - y;
      h = p * (1 - p);
    }
    if constexpr (Which == Loss::exponential) {
      const double sign = y > 0 ? 1.0 : -1.0;
      h = exponential(-sign * s);
      g = -sign * h;
    }
    if constexpr (Weighted) {
      g *= weights[i];
      h *= weights[i];
    }
    gradient[i] = static_cast<float>(g);
    hessian[i] = static_cast<float>(h);
  }
}

template <bool Weighted>
VENIRE_INLINE void by_loss(const LossTarget& target, double delta, const double* scores, std::size_t first,
                           std::size_t last, float* gradient, float* hessian) {
  switch (target.loss) {
    case Loss::absolute: return loop<Loss::absolute, Weighted>(target, delta, scores, first, last, gradient, hessian);
    case Loss::quantile: return loop<Loss::quantile, Weighted>(target, delta, scores, first, last, gradient, hessian);
    case Loss::huber: return loop<Loss::huber, Weighted>(target, delta, scores, first, last, gradient, hessian);
    case Loss::poisson: return loop<Loss::poisson, Weighted>(target, delta, scores, first, last, gradient, hessian);
    case Loss::gamma: return loop<Loss::gamma, Weighted>(target, delta, scores, first, last, gradient, hessian);
    case Loss::logistic: return loop<Loss::logistic, Weighted>(target, delta, scores, first, last, gradient, hessian);
    case Loss::exponential:
      return loop<Loss::exponential, Weighted>(target, delta, scores, first, last, gradient, hessian);
    default: return loop<Loss::squared, Weighted>(target, delta, scores, first, last, gradient, hessian);
  }
}

// Output after output, so that every inner loop runs over rows.
VENIRE_INLINE void softmax(const LossTarget& target, const double* scores, std::size_t first, std::size_t last,
                           float* gradient, float* hessian) {
  const std::size_t rows = target.rows, outputs = target.outputs;
  const double factor = static_cast<double>(outputs) / static_cast<double>(outputs - 1);
  constexpr std::size_t kRows = 256;
  double most[kRows], total[kRows];
  for (std::size_t at = first; at < last; at += kRows) {
    const std::size_t count = std::min(kRows, last - at);
    for (std::size_t i = 0; i < count; ++i) most[i] = scores[at + i];
    for (std::size_t k = 1; k < outputs; ++k) {
      for (std::size_t i = 0; i < count; ++i) most[i] = std::max(most[i], scores[k * rows + at + i]);
    }
    for (std::size_t i = 0; i < count; ++i) total[i] = 0;
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t i = 0; i < count; ++i) {
        const double e = exponential(scores[k * rows + at + i] - most[i]);
        total[i] += e;
        hessian[k * rows + at + i] = static_cast<float>(e);  // kept for the second pass
      }
    }
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t row = at + i;
        const double p = static_cast<double>(hessian[k * rows + row]) / total[i];
        const double w = target.weights == nullptr ? 1.0 : target.weights[row];
        const double hit = target.y[row] == static_cast<double>(k) ? 1.0 : 0.0;
        gradient[k * rows + row] = static_cast<float>((p - hit) * w);
        hessian[k * rows + row] = static_cast<float>(factor * p * (1 - p) * w);
      }
    }
  }
}

VENIRE_INLINE void stretch(const LossTarget& target, double delta, const double* scores, std::size_t first,
                           std::size_t last, float* gradient, float* hessian) {
  if (target.loss == Loss::multinomial) softmax(target, scores, first, last, gradient, hessian);
  else if (target.weights == nullptr) by_loss<false>(target, delta, scores, first, last, gradient, hessian);
  else by_loss<true>(target, delta, scores, first, last, gradient, hessian);
}

void stretch_narrow(const LossTarget& target, double delta, const double* scores, std::size_t first, std::size_t last,
                    float* gradient, float* hessian) {
  stretch(target, delta, scores, first, last, gradient, hessian);
}
#if VENIRE_HAS_AVX2
VENIRE_AVX2 void stretch_wide(const LossTarget& target, double delta, const double* scores, std::size_t first,
                              std::size_t last, float* gradient, float* hessian) {
  stretch(target, delta, scores, first, last, gradient, hessian);
}
#endif

double weight_of(const LossTarget& target, std::size_t row) {
  return target.weights == nullptr ? 1.0 : target.weights[row];
}

using Weighted = std::vector<std::pair<double, double>>;

Weighted all_values(const LossTarget& target, const double* scores, bool absolute) {
  Weighted out;
  out.reserve(target.rows);
  for (std::size_t i = 0; i < target.rows; ++i) {
    const double value = target.y[i] - (scores == nullptr ? 0.0 : scores[i]);
    if (weight_of(target, i) > 0) out.emplace_back(absolute ? std::abs(value) : value, weight_of(target, i));
  }
  return out;
}

}  // namespace

Loss loss_of(const std::string& name) {
  for (const auto& [known, loss] : kNames) {
    if (name == known) return loss;
  }
  throw std::invalid_argument("unknown loss: " + name);
}

const char* loss_name(Loss loss) {
  for (const auto& [known, one] : kNames) {
    if (one == loss) return known;
  }
  return "";
}

double weighted_quantile(std::vector<std::pair<double, double>>& values, double alpha) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  double total = 0, sum = 0;
  for (const auto& one : values) total += one.second;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[i].second;
    if (sum == alpha * total && i + 1 < values.size()) return (values[i].first + values[i + 1].first) / 2;
    if (sum > alpha * total) return values[i].first;
  }
  return values.back().first;
}

std::vector<double> start_scores(const LossTarget& target) {
  if (renews(target.loss) || target.loss == Loss::huber) {
    Weighted values = all_values(target, nullptr, false);
    return {weighted_quantile(values, target.loss == Loss::quantile ? target.alpha : 0.5)};
  }
  double total = 0, sum = 0;
  std::vector<double> shares(target.outputs, 0.0);
  for (std::size_t i = 0; i < target.rows; ++i) {
    const double w = weight_of(target, i);
    total += w;
    sum += w * target.y[i];
    if (target.loss == Loss::multinomial) shares[static_cast<std::size_t>(target.y[i])] += w;
  }
  const double mean = total > 0 ? sum / total : 0, tiny = 1e-12;
  switch (target.loss) {
    case Loss::poisson:
    case Loss::gamma: return {std::log(std::max(mean, tiny))};
    case Loss::logistic: return {std::log(std::max(mean, tiny) / std::max(1 - mean, tiny))};
    case Loss::exponential: return {std::log(std::max(mean, tiny) / std::max(1 - mean, tiny)) / 2};
    case Loss::multinomial:
      for (double& share : shares) share = std::log(std::max(share / total, tiny));
      return shares;
    default: return {mean};
  }
}

void gradients(const LossTarget& target, const double* scores, float* gradient, float* hessian, Pool& pool) {
  double delta = 0;
  if (target.loss == Loss::huber) {
    Weighted sizes = all_values(target, scores, true);
    delta = weighted_quantile(sizes, target.alpha);
  }
  const std::size_t tasks = (target.rows + kBlock - 1) / kBlock;
  const auto one = [&](std::size_t task, std::size_t) {
    const std::size_t first = task * kBlock, last = std::min(target.rows, first + kBlock);
#if VENIRE_HAS_AVX2
    if (simd_level() >= Simd::avx2) return stretch_wide(target, delta, scores, first, last, gradient, hessian);
#endif
    stretch_narrow(target, delta, scores, first, last, gradient, hessian);
  };
  if (target.rows * target.outputs < 50'000) {
    for (std::size_t task = 0; task < tasks; ++task) one(task, 0);
  } else {
    pool.run(tasks, one);
  }
}

void gradients_of_rows(const LossTarget& target, const double* scores, std::size_t count, float* gradient,
                       float* hessian) {
#if VENIRE_HAS_AVX2
  if (simd_level() >= Simd::avx2) return stretch_wide(target, 0, scores, 0, count, gradient, hessian);
#endif
  stretch_narrow(target, 0, scores, 0, count, gradient, hessian);
}

double renewed(const LossTarget& target, const double* scores, const Row* rows, std::size_t count) {
  Weighted left;
  left.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    left.emplace_back(target.y[rows[i]] - scores[rows[i]], weight_of(target, rows[i]));
  return weighted_quantile(left, target.loss == Loss::quantile ? target.alpha : 0.5);
}

}  // namespace venire
