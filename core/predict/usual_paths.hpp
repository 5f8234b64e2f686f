// Usual paths: rows of a sparse table down trees that are deeper than a row has cells.
//
// At nearly every node a row has the usual code of the column, and goes where any such row goes. So the nodes of a tree
// fall into paths: one begins at the root and at each child that a usual code does not lead to, and it follows the
// usual codes down to a leaf. A row that is at the beginning of a path leaves it at the first of its nodes that asks
// about one of the row's cells and sends its code the other way; without one, it ends in the leaf of the path.
//
//         0                 node 0 asks about column 7, node 1 about column 9, node 3 about column 5
//        / \.
//       1   2               questions of the path 0, 1, 3:  (5, node 3)  (7, node 0)  (9, node 1)
//      / \.
//     3   4                a row with a cell in column 5 alone looks at node 3, and not at the others
//
// Cost per row and tree: a search among the questions of a path for each cell, for each path that the row goes along.
#pragma once

#include <cstdint>
#include <vector>

#include "base/types.hpp"
#include "bins/binning.hpp"
#include "forest/ensemble.hpp"

namespace venire {

class UsualPaths {
 public:
  // A tree whose nodes are all thresholds; `usual` is borrowed, as the tree is.
  UsualPaths(const Tree& tree, const std::vector<Code>& usual);

  // Do rows of this table take fewer searches than steps down these trees?
  static bool serve(const Ensemble& ensemble, const Bins& bins);

  // The leaf of a row.
  std::uint32_t leaf(const CellLists& rows, std::size_t row) const;

 private:
  struct Question {
    std::uint32_t column, node;
  };
  struct Path {
    std::uint32_t first, last;  // its questions, by column, then from the top
    std::uint32_t leaf;
  };
  std::uint32_t usual_child(std::uint32_t node) const;
  void follow(std::uint32_t start, std::vector<std::uint32_t>& starts);

  const std::vector<Node>& nodes_;
  const std::vector<Code>& usual_;
  std::vector<std::uint32_t> path_of_;  // per node that begins a path
  std::vector<Path> paths_;
  std::vector<Question> questions_;
};

}  // namespace venire
