// The rounds of AdaBoost: grow a member, judge it, weigh the examples anew.
//
//   weights -> member, and whom it gets wrong -> ε -> α and what becomes of the round -> weights
//
// M1 takes α = ½ ln((1 − ε) / ε) and needs ε < ½; SAMME adds ½ ln(K − 1) for K classes and needs ε < 1 − 1/K. The
// arithmetic is that of the rounds written in Python, to the bit: sums are taken in halves, as numpy takes them. Cost
// besides the member: 3 ns a row.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "adaboost/members.hpp"

namespace venire {

enum class WhenWeak { stop, reset, invert };

struct AdaRules {
  bool samme = true;
  WhenWeak when_weak = WhenWeak::stop;
};

class AdaBoosting {
 public:
  // `members` must outlive it. `weights` are those of `rows`, one each, and sum to one; `total` is what they summed to
  // when given.
  AdaBoosting(Members& members, std::vector<Row> rows, std::vector<double> weights, double total, AdaRules rules);

  // At most so many rounds more; false once there is no next round.
  bool advance(std::uint32_t rounds);

  // The members that were kept and what each counts for. If no round was better than guessing, the first stands alone.
  Ensemble ensemble() const;
  std::vector<double> alphas() const { return alone() ? std::vector<double>{1.0} : alphas_; }
  bool alone() const { return trees_.empty(); }
  const std::vector<double>& errors() const { return errors_; }

 private:
  struct RoundWeight {
    double alpha;
    bool kept, last, reset;
  };

  double error();
  RoundWeight weigh_round(double error) const;
  void reweigh(double alpha);

  Members& members_;
  const std::vector<Row> rows_;
  const std::vector<double> first_;
  const double total_;
  const AdaRules rules_;
  std::vector<double> weights_, everywhere_, of_wrong_, errors_, alphas_;
  std::vector<Tree> trees_;
  Tree first_tree_;
  std::unique_ptr<bool[]> wrong_;
  bool ended_ = false;
};

// The sum of numbers, taken in halves.
double pairwise_sum(const double* numbers, std::size_t count);

}  // namespace venire
