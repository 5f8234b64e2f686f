// Logistic regression for falling penalties λ/2 · ‖β‖² (the intercept free), each solved to the optimum from the rows
// alone
// (`close_enough` says how close).
//
// Each penalty starts from an extrapolation of the last few optima (extrapolation.hpp). A step is a quasi-Newton one
// (quasi_newton.hpp): the curvature of a nearby point, corrected by what the gradients of the last steps show (L-BFGS).
// Two classes have one block of curvature. More classes have a block each, as long as most rows count; the curvature of
// all classes together by pairs of classes, where few rows are between two (pair_curvature.hpp); or its Cholesky
// factor, where steps have become so many that it pays.
//
// Most steps cost one pass over the rows in single precision: it computes how the gradient differs from that of a base
// point, where it is known in double precision, and the smaller that difference, the smaller its error. How large the
// error is, is measured whenever the gradient is taken in double precision at the same point; one such pass a penalty,
// or less, is enough for an optimum good in double precision. It takes the place of the step that would come closer
// than differences can resolve.
//
// Cost: 2 n p k multiply-adds a pass, n p² k / 2 for the blocks of curvature. One thread; every sum in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/aligned_vector.hpp"
#include "logistic/extrapolation.hpp"
#include "logistic/pair_curvature.hpp"
#include "logistic/panels.hpp"
#include "logistic/quasi_newton.hpp"
#include "passes/loops.hpp"

namespace venire {

// The probabilities of the rows of some panels, as `Probabilities` sees them.
struct ProbabilityStore {
  AlignedVector<float> p, one_minus_p;
  Probabilities view() { return {p.data(), one_minus_p.data()}; }
};

class LogisticPath {
 public:
  // Is asked before every step, of which one may take as long as a pass over the rows; it ends a penalty by throwing.
  using Ask = std::function<void()>;

  explicit LogisticPath(const LogisticTable& table);

  // The optimum for the next, smaller penalty. False: it is out of reach, and so is what follows.
  bool solve(double penalty, const Ask& ask = {});
  std::vector<double> coefficients() const;  // [output][1 + column], where the last penalty led to

  // The gradient of the negative log-likelihood at any coefficients, in double precision; the path is where it was.
  std::vector<double> gradient(const std::vector<double>& coefficients);

  std::size_t outputs() const { return outputs_; }
  std::size_t columns() const { return columns_; }

 private:
  // From the optimum: the largest part of the gradient, and the squared distance as curvature measures it.
  struct Distance {
    double gradient, squared;
  };
  // The error of differences until it is measured, as a share of the distance from which they are taken.
  static constexpr Distance kUnmeasured{2e-7, 1e-13};

  // Of p (1 - p) times weight over the rows: the largest, and the sum.
  struct RowCurvature {
    float largest;
    double sum;
  };

  void start_at_intercepts(const LogisticTable& table);
  std::size_t size() const { return outputs_ * stride_; }
  Rows<double> wide_rows() const;
  Rows<float> narrow_rows(const Panels<float>& panels) const;
  bool solve_from_last(double penalty, const Ask& ask);
  bool prepare_curvature(double penalty);
  double close_enough(double penalty) const;
  bool minimise(double penalty, const Ask& ask);
  bool take_step(double penalty, bool exactly, const Distance& base_distance);
  void compute_gradient();
  void compute_gradient_by_difference();
  void add_penalty(const std::vector<double>& likelihood, const std::vector<double>& beta, double penalty,
                   std::vector<double>& gradient) const;
  Distance distance(const std::vector<double>& gradient);
  Distance distance_of_base(double penalty);
  void add_start_update(double penalty);
  void measure_difference_error(double penalty, const Distance& base_distance);
  void gather_panels(const std::vector<std::uint32_t>& rows);
  bool update_curvature(double penalty, bool full);
  bool use_pair_curvature(double penalty);
  void copy_rows();
  void compute_blocks();
  void compute_block(std::size_t output);
  RowCurvature compute_row_curvature(std::size_t output);
  bool full_curvature_pays() const;
  void compute_cross_curvature();
  void add_products(const std::vector<std::uint32_t>& rows, double* out);

  const LogisticLoops& loops_;
  std::size_t rows_, columns_, outputs_;
  std::vector<std::size_t> kept_;  // columns that are not zero in every row; the others have coefficients of zero
  std::size_t width_, stride_;
  double total_weight_;
  Extrapolation extrapolation_;
  // Of differences, when last checked: a share of the distance from which they are taken.
  Distance error_;
  std::vector<std::int32_t> labels_;
  Panels<double> wide_;
  Panels<float> narrow_, gathered_;
  ProbabilityStore probabilities_;

  // The gradient without the penalty, and with it.
  std::vector<double> beta_, likelihood_gradient_, gradient_, direction_;
  std::vector<double> base_beta_, base_gradient_;  // where the gradient is known in double precision
  std::vector<double> difference_, previous_beta_, beta_change_, gradient_change_;
  AlignedVector<double> wide_work_;
  AlignedVector<float> work_, step_, row_curvature_;
  std::vector<double> curvature_, gram_, cross_curvature_;
  PairCurvature pair_curvature_;
  AlignedVector<float> row_major_;  // the rows as [row][stride], for pairs of classes
  QuasiNewton quasi_newton_;
  bool curvature_seen_ = false;  // anywhere but where the path starts
  double start_curvature_ = 0;   // of every output a row, where the path starts
  std::size_t curvature_age_ = 0, steps_taken_ = 0, exact_gradients_ = 0;
};

}  // namespace venire
