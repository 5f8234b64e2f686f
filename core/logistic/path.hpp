// Logistic regression for falling penalties λ/2 · ‖β‖² (the intercept free), each solved to the optimum from the rows alone
// (`close_enough` says how close).
//
// Each penalty starts where the last few were heading (`extrapolation.hpp`). A step is a quasi-Newton one: the curvature of a nearby point,
// mended by what the gradients of the last steps show (L-BFGS). Of more than two classes it is that of each class by itself, while most rows
// count; of all together by the rows in doubt, where these are few (`pair_curvature.hpp`); or a factor of all together, where steps have
// become so many that it pays. Most steps cost one pass over the rows in single precision: it measures how the gradient changes from a point
// where it is known in double precision, and the smaller that change, the smaller its error. How good that is, is seen whenever the
// gradient is taken in double precision at the same point; one such pass a penalty, or less, is enough for an optimum good in double
// precision. It takes the place of the step that would come closer than differences can tell.
//
// Cost: 2 n p k multiply-adds a pass, n p² k / 2 a look at the curvature. One thread; every sum in a fixed order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "logistic/aligned.hpp"
#include "logistic/extrapolation.hpp"
#include "logistic/loops.hpp"
#include "logistic/pair_curvature.hpp"

namespace venire {

// Rows of numbers, one after the other, and what they are; outputs: 1 for two classes (labels 0 and 1), else one a class.
struct LogisticTable {
  const double* x;
  std::size_t rows, columns;
  const std::int32_t* labels;
  const double* weights;  // or null
  std::size_t outputs;
};

// Rows in panels, in one precision.
template <class T>
struct Panels {
  Lanes<T> x, weights;
  std::size_t count = 0;
};

// Columns that are not zero in every row, and the rows in panels of these in both precisions.
std::vector<std::size_t> columns_in_use(const LogisticTable& table);
void fill_panels(const LogisticTable& table, const std::vector<std::size_t>& kept, Panels<double>& wide, Panels<float>& narrow);

// What is said of the rows of some panels.
struct SaidRows {
  Lanes<float> share, rest;
  Said view() { return {share.data(), rest.data()}; }
};

// Adding the same to all classes changes no probability, and the penalty wants none of it.
template <class T>
void centre(T* values, std::size_t outputs, std::size_t stride) {
  if (outputs == 1) return;
  const T share = T{1} / static_cast<T>(outputs);
  for (T* block = values; block < values + stride; block += kPad) {
    T sums[kPad] = {};
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t j = 0; j < kPad; ++j) sums[j] += block[k * stride + j];
    }
    for (T& sum : sums) sum *= share;
    for (std::size_t k = 0; k < outputs; ++k) {
      for (std::size_t j = 0; j < kPad; ++j) block[k * stride + j] -= sums[j];
    }
  }
}

// The largest magnitude, and the inner product, of vectors as long as a multiple of kPad.
double largest(const std::vector<double>& values);
double inner(const std::vector<double>& a, const std::vector<double>& b);

// An inverse curvature, mended by the last steps. Vectors are [output][stride].
class Steps {
 public:
  Steps(const LogisticLoops& loops, std::size_t outputs, std::size_t width, std::size_t stride);

  // From the upper triangles [output][column][column]; false if it cannot be inverted. Forgets all steps.
  bool invert(const std::vector<double>& curvature, double penalty);
  // From the same and, of every two outputs, the upper triangle of what they share [pair][column][column].
  bool couple(const std::vector<double>& curvature, const std::vector<double>& shared, double penalty);
  bool coupled() const { return coupled_; }
  // From what doubts say of all outputs together; they must stay as they are. The curvature of outputs by themselves, which only tells where to
  // look first, is theirs if it is taken anew, or the last one.
  bool doubt(Doubts& doubts, double penalty, bool anew);
  bool doubted() const { return doubts_ != nullptr; }
  void forget();
  void learn(const std::vector<double>& moved, const std::vector<double>& turned);
  // Downhill, and how steep that is.
  double direct(const std::vector<double>& gradient, std::vector<double>& direction);

 private:
  struct Pair {
    Lanes<float> moved, turned;
    float curve;
  };
  bool invert(double penalty);
  double hair(const std::vector<double>& curvature) const;
  void step_from();
  void step_alone(const Lanes<float>& from, Lanes<float>& to);
  void step_by_doubts();
  Pair& pair(std::size_t age) { return pairs_[(oldest_ + age) % pairs_.size()]; }

  const LogisticLoops& loops_;
  std::size_t outputs_, width_, stride_;
  Lanes<float> inverse_, factor_, work_, from_, to_;
  bool coupled_ = false;
  Doubts* doubts_ = nullptr;
  double penalty_ = 0;
  Lanes<float> off_, way_, back_, near_;
  std::vector<Pair> pairs_;
  std::size_t oldest_ = 0;
  std::vector<float> shares_;
};

class LogisticPath {
 public:
  explicit LogisticPath(const LogisticTable& table);

  // The optimum for the next, smaller penalty. False: it is out of reach, and so is what follows.
  bool solve(double penalty);
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

  // Of the curvatures of rows: the largest, and the sum.
  struct Spread {
    float top;
    double all;
  };

  void set_out(const LogisticTable& table);
  std::size_t size() const { return outputs_ * stride_; }
  Rows<double> wide_rows() const;
  Rows<float> narrow_rows(const Panels<float>& panels) const;
  bool solve_from_last(double penalty);
  bool curve(double penalty);
  double close_enough(double penalty) const;
  bool settle(double penalty);
  bool advance(double penalty, bool exactly, const Distance& far);
  void rebase();
  void measure();
  void penalise(const std::vector<double>& likelihood, const std::vector<double>& at, double penalty, std::vector<double>& gradient) const;
  Distance distance(const std::vector<double>& gradient);
  Distance distance_of_base(double penalty);
  void learn_start(double penalty);
  void check(double penalty, const Distance& far);
  void gather(const std::vector<std::uint32_t>& rows);
  bool look_here(double penalty, bool together);
  bool look_at_doubts(double penalty);
  void flatten();
  void look();
  void look_at(std::size_t output);
  Spread spread_of(std::size_t output);
  bool worth_coupling() const;
  void look_between();
  void products_of(const std::vector<std::uint32_t>& rows, double* out);

  const LogisticLoops& loops_;
  std::size_t rows_, columns_, outputs_;
  std::vector<std::size_t> kept_;  // columns that are not zero in every row; the others have coefficients of zero
  std::size_t width_, stride_;
  double total_;                   // weight of all rows
  LogisticTrail trail_;
  Distance error_;                 // of differences, when last checked: a share of the distance from which they are taken
  std::vector<std::int32_t> labels_;
  Panels<double> wide_;
  Panels<float> narrow_, chosen_;
  SaidRows said_;

  std::vector<double> at_, likelihood_, gradient_, direction_;  // likelihood_ is the gradient without the penalty
  std::vector<double> base_at_, base_gradient_;                 // where differences start from
  std::vector<double> change_, before_, moved_, turned_;
  Lanes<double> wide_work_;
  Lanes<float> work_, step_, roots_;
  std::vector<double> curvature_, gram_, shared_;
  Doubts doubts_;
  Lanes<float> flat_;  // [row][stride], once doubts are few
  Steps steps_;
  bool looked_ = false;  // anywhere but where the path sets out
  double outset_ = 0;  // curvature of every output a row where the path sets out
  std::size_t age_ = 0, taken_ = 0, bases_ = 0;
};

}  // namespace venire
