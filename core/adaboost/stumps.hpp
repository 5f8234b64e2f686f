// Members of AdaBoost for many classes: stumps on weighted labels.
//
// The stump is the one that tree/grow.hpp grows, to the bit. A round takes the rows class by class, so that the sums of
// all columns of one class are one histogram of packed codes (boost/histogram.hpp) with a weight in place of a gradient
// pair; a cut is then judged for all classes, all cuts of a column side by side. Cost per round: one addition a row and
// column, and 1 ns a class and cut.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "adaboost/members.hpp"
#include "boost/histogram.hpp"
#include "boost/sparse_sums.hpp"
#include "splits/candidate.hpp"
#include "splits/target.hpp"

namespace venire {

class Stumps final : public Members {
 public:
  // `bins` must outlive it, and none of their columns be categorical; `labels` are 0 .. classes − 1.
  Stumps(const Bins& bins, std::vector<std::int32_t> labels, int classes, std::size_t threads);

  Tree grow(const double* weights, bool* wrong) override;

 private:
  // A node as the sums of its classes.
  struct Side {
    std::vector<std::int64_t> sums;
    std::vector<double> total;
    std::uint32_t rows = 0;
    double weight = 0;

    void settle();
    int pure_class() const;  // −1 when there are several
    std::vector<double> probabilities() const;
    std::int32_t heaviest() const;  // class, of equal ones the first
  };

  void begin(const double* weights);
  Candidate best();
  void find_cut(std::uint32_t column, Candidate& found);
  void offer(Candidate candidate, const std::vector<Code>& list, std::size_t first, Candidate& found);
  void sweep(const std::vector<Code>& list);
  std::vector<Side> part(const Split& split, bool* wrong) const;

  const std::vector<std::int32_t> labels_;
  Pool pool_;
  Packs packs_;
  HistogramBuilder builder_;
  std::unique_ptr<SparseSums> sparse_;  // of sparse tables
  FixedPoint units_;
  Side whole_;
  double gain_unit_ = 0, score_ = 0;
  std::vector<std::vector<Row>> rows_;        // by class; the first `counts_` have weight
  std::vector<std::size_t> counts_;           // by class
  std::vector<PairHistogram> sums_;           // by class
  std::vector<std::vector<Pair>> unbundled_;  // by class: room for the sums of a bundled column
  std::vector<const Pair*> column_;           // by class: the sums of the column at hand
  std::vector<Code> present_, rotated_;
  std::vector<double> gain_, left_;
};

}  // namespace venire
