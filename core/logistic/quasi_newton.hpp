// The quasi-Newton step: the gradient times an inverse curvature (of each output, or of all together), corrected by the
// last steps as in L-BFGS. In single precision; vectors are [output][stride].
//
// Cost: outputs × columns² multiply-adds by blocks, the square of outputs × columns by a factor of all, a few products
// with the listed rows by pairs; and 4 × outputs × columns an update.
#pragma once

#include <cstddef>
#include <vector>

#include "base/aligned_vector.hpp"
#include "logistic/pair_curvature.hpp"
#include "passes/loops.hpp"

namespace venire {

class QuasiNewton {
 public:
  QuasiNewton(const LogisticLoops& loops, std::size_t outputs, std::size_t width, std::size_t stride);

  // Takes a block of curvature for every output: upper triangles [output][column][column]. False if one cannot be
  // inverted. Forgets all updates, as the next two do.
  bool invert_blocks(const std::vector<double>& curvature, double penalty);
  // Takes the whole curvature: the blocks, and those between every two outputs, upper triangles [pair][column][column].
  bool factor_full(const std::vector<double>& curvature, const std::vector<double>& cross, double penalty);
  bool has_full_curvature() const { return full_; }
  // Takes the whole curvature by pairs of classes, which must stay as they are. Blocks then only precondition: those of
  // the pairs if `new_blocks`, or the last ones.
  bool use_pairs(PairCurvature& pairs, double penalty, bool new_blocks);
  bool has_pair_curvature() const { return pair_curvature_ != nullptr; }
  // What a step did to the gradient corrects the curvature from now on.
  void forget_updates();
  void add_update(const std::vector<double>& step, const std::vector<double>& gradient_change);
  // The step to take, and the squared length of it as curvature measures it (Newton's decrement).
  double descent_direction(const std::vector<double>& gradient, std::vector<double>& direction);

 private:
  struct Update {
    AlignedVector<float> step, gradient_change;
    float curvature;
  };
  bool invert_blocks(double penalty);
  double ridge(const std::vector<double>& curvature) const;
  void solve_curvature();
  void apply_block_inverses(const AlignedVector<float>& from, AlignedVector<float>& to);
  void solve_by_conjugate_gradients();
  Update& update(std::size_t age) { return updates_[(oldest_ + age) % updates_.size()]; }

  const LogisticLoops& loops_;
  std::size_t outputs_, width_, stride_;
  AlignedVector<float> inverse_, factor_, work_, from_, to_;
  bool full_ = false;
  PairCurvature* pair_curvature_ = nullptr;
  double penalty_ = 0;
  AlignedVector<float> residual_, search_, product_, preconditioned_;
  std::vector<Update> updates_;
  std::size_t oldest_ = 0;
  std::vector<float> alphas_;
};

}  // namespace venire
