// A table whose rows are spread over several processes, each with a part of rows that follow each other.
//
// Every process grows the same trees on its own rows. What all must know is added up over the parts, number by number:
// whole numbers modulo 2^64, so neither the order nor the division of the rows matters. What one part alone has, it
// adds to zeros. Without parts all rows are here, and nothing is asked.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace venire {

class Parts {
 public:
  // Puts the sums over all parts in the place of what this part has. All parts ask in the same order.
  using Add = std::function<void(std::uint64_t* numbers, std::size_t count)>;

  Parts() = default;
  // `first` has the first row of each part, and how many rows there are in all; `own` is which of them this is.
  Parts(std::vector<std::size_t> first, std::size_t own, Add add)
      : first_(std::move(first)), own_(own), add_(std::move(add)) {
    bool ascending = first_.size() >= 2 && first_.front() == 0;
    for (std::size_t i = 1; i < first_.size(); ++i) ascending = ascending && first_[i - 1] < first_[i];
    if (!ascending || own_ + 1 >= first_.size()) throw std::invalid_argument("parts follow each other, none is empty");
  }

  bool alone() const { return first_.empty(); }
  const std::vector<std::size_t>& first() const { return first_; }
  std::size_t own() const { return own_; }
  std::size_t begin() const { return first_[own_]; }
  std::size_t end() const { return first_[own_ + 1]; }
  // Of the whole table, of which `here` are in this process.
  std::size_t rows(std::size_t here) const { return alone() ? here : first_.back(); }

  // The same parts of other rows, such as those drawn in a round; of these a part may have none.
  Parts of_rows(std::vector<std::size_t> first) const {
    Parts parts = *this;
    parts.first_ = std::move(first);
    return parts;
  }

  void add(std::uint64_t* numbers, std::size_t count) const {
    for (std::size_t at = 0; !alone() && at < count; at += kMostTogether)
      add_(numbers + at, std::min(kMostTogether, count - at));
  }

 private:
  static constexpr std::size_t kMostTogether = std::size_t{1} << 22;  // 32 MB in one message

  std::vector<std::size_t> first_;
  std::size_t own_ = 0;
  Add add_;
};

inline const Parts all_here{};

}  // namespace venire
