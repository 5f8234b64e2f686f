#include "neighbors/votes.hpp"

#include <algorithm>
#include <vector>

namespace venire {
namespace {

// The settings of every k, one k after the other.
struct Asked {
  std::vector<std::size_t> settings, ends;

  Asked(const std::int64_t* counts, std::size_t count, std::size_t longest) : ends(longest + 1, 0) {
    for (std::size_t k = 1; k <= longest; ++k) {
      for (std::size_t s = 0; s < count; ++s) {
        if (static_cast<std::size_t>(counts[s]) == k) settings.push_back(s);
      }
      ends[k] = settings.size();
    }
  }
};

struct VoteOutputs {
  float* probabilities;
  std::int16_t* winners;
};

// The running sums stay in registers.
void of_two(const Votes& votes, const Asked& asked, const VoteOutputs& outputs) {
  for (std::size_t row = 0; row < votes.rows; ++row) {
    const std::int64_t* found = votes.found + row * votes.longest;
    double first = 0, second = 0, total = 0;
    for (std::size_t k = 1; k <= votes.longest; ++k) {
      const std::int64_t neighbour = found[k - 1];
      const double weight = votes.weights[neighbour];
      const bool is_second = votes.classes[neighbour] != 0;
      first += is_second ? 0.0 : weight;
      second += is_second ? weight : 0.0;
      total += weight;
      for (std::size_t i = asked.ends[k - 1]; i < asked.ends[k]; ++i) {
        const std::size_t at = asked.settings[i] * votes.rows + row;
        const double a = first / total, b = second / total;
        outputs.probabilities[2 * at] = static_cast<float>(a);
        outputs.probabilities[2 * at + 1] = static_cast<float>(b);
        outputs.winners[at] = b > a ? 1 : 0;
      }
    }
  }
}

void of_many(const Votes& votes, const Asked& asked, const VoteOutputs& outputs) {
  const std::size_t classes = votes.class_count;
  std::vector<double> sums(classes), probabilities(classes);
  for (std::size_t row = 0; row < votes.rows; ++row) {
    const std::int64_t* found = votes.found + row * votes.longest;
    std::fill(sums.begin(), sums.end(), 0.0);
    double total = 0;
    for (std::size_t k = 1; k <= votes.longest; ++k) {
      const std::int64_t neighbour = found[k - 1];
      sums[static_cast<std::size_t>(votes.classes[neighbour])] += votes.weights[neighbour];
      total += votes.weights[neighbour];
      for (std::size_t i = asked.ends[k - 1]; i < asked.ends[k]; ++i) {
        const std::size_t at = asked.settings[i] * votes.rows + row;
        float* out = outputs.probabilities + at * classes;
        for (std::size_t c = 0; c < classes; ++c) probabilities[c] = sums[c] / total;
        for (std::size_t c = 0; c < classes; ++c) out[c] = static_cast<float>(probabilities[c]);
        outputs.winners[at] = static_cast<std::int16_t>(std::max_element(probabilities.begin(), probabilities.end()) -
                                                        probabilities.begin());
      }
    }
  }
}

}  // namespace

void count_votes(const Votes& votes, const std::int64_t* counts, std::size_t settings, float* probabilities,
                 std::int16_t* winners) {
  const Asked asked(counts, settings, votes.longest);
  if (votes.class_count == 2) return of_two(votes, asked, {probabilities, winners});
  of_many(votes, asked, {probabilities, winners});
}

}  // namespace venire
