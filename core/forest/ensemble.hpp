// Many trees as one model: what growing, boosting and reading a saved model end in, and predicting starts from.
#pragma once

#include <vector>

#include "base/types.hpp"
#include "bins/binning.hpp"

namespace venire {

struct Ensemble {
  Columns columns;
  int outputs = 1;
  bool classes = false;  // outputs are shares of classes
  std::vector<Tree> trees;
};

}  // namespace venire
