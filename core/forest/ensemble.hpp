// Many trees as one model: what growing, boosting and reading a saved model end in, and predicting starts from.
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/types.hpp"
#include "bins/binning.hpp"

namespace venire {

// Columns that models share. The cuts of a wide table are larger than a small tree, and each round of AdaBoost is a
// model of its own: whoever copies these holds the same ones, and nobody changes them.
class SharedColumns {
 public:
  SharedColumns() = default;
  SharedColumns(Columns columns) : columns_(std::make_shared<const Columns>(std::move(columns))) {}

  operator const Columns&() const { return *columns_; }
  const Column& operator[](std::size_t j) const { return (*columns_)[j]; }
  std::size_t size() const { return columns_->size(); }
  auto begin() const { return columns_->begin(); }
  auto end() const { return columns_->end(); }
  bool operator==(const SharedColumns& other) const {
    return columns_ == other.columns_ || *columns_ == *other.columns_;
  }

 private:
  std::shared_ptr<const Columns> columns_ = std::make_shared<const Columns>();
};

// Columns without their means and deviations, which are for combinations of attributes alone.
inline SharedColumns without_scale(Columns columns) {
  for (Column& column : columns) {
    column.mean = 0;
    column.deviation = 1;
  }
  return columns;
}

struct Ensemble {
  SharedColumns columns;
  int outputs = 1;
  bool classes = false;  // outputs are shares of classes
  std::vector<Tree> trees;
};

}  // namespace venire
