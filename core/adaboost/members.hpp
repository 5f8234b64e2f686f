// A member of AdaBoost a round: a tree for the weights of the examples, on bins that all rounds share.
#pragma once

#include <cstddef>

#include "forest/ensemble.hpp"

namespace venire {

class Members {
 public:
  Members(const Bins& bins, int classes) : bins_(bins), classes_(classes), columns_(without_scale(bins.columns)) {}
  virtual ~Members() = default;
  Members(const Members&) = delete;
  Members& operator=(const Members&) = delete;

  // The tree for these weights, a row of the table each, as a classification tree; wrong[i] says whether row i is in a
  // leaf whose heaviest class (the first, if equal) is not its own.
  virtual Tree grow(const double* weights, bool* wrong) = 0;

  std::size_t rows() const { return bins_.rows; }
  int classes() const { return classes_; }

  // These trees as a model.
  Ensemble ensemble(std::vector<Tree> trees) const {
    Ensemble out;
    out.columns = columns_;
    out.outputs = classes_;
    out.classes = true;
    out.trees = std::move(trees);
    return out;
  }

 protected:
  const Bins& bins_;
  const int classes_;

 private:
  const SharedColumns columns_;
};

}  // namespace venire
