// Loops over the rows of a table in blocks: side by side on threads where there are many, in order where there are few.
#pragma once

#include <algorithm>
#include <cstddef>

#include "base/parallel.hpp"

namespace venire {

constexpr std::size_t kBlock = 1 << 13;        // rows a task
constexpr std::size_t kWorthThreads = 50'000;  // rows

// Runs `work(first, last)` over blocks of `count` places, on threads when there are many.
template <class Work>
void over_blocks(std::size_t count, Pool& pool, const Work& work) {
  const std::size_t tasks = (count + kBlock - 1) / kBlock;
  const auto one = [&](std::size_t task, std::size_t) { work(task * kBlock, std::min(count, (task + 1) * kBlock)); };
  if (count < kWorthThreads) {
    for (std::size_t task = 0; task < tasks; ++task) one(task, 0);
  } else {
    pool.run(tasks, one);
  }
}

}  // namespace venire
