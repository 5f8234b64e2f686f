// Memory for tables that are read in leaps: arrays begin at a cache line, and large ones ask the system for large pages.
//
// A row of codes that begins at a line's beginning lies in as few lines as it can, and with pages of two megabytes the processor knows
// where every row of a million is without looking its page up. Linux is asked; elsewhere, and where it declines, the pages are the
// ordinary ones and nothing else changes.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace venire {

template <class T>
struct LargePages {
  using value_type = T;
  static constexpr std::size_t kLine = 64, kPage = std::size_t{2} << 20;

  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) {}

  static std::align_val_t alignment(std::size_t bytes) { return std::align_val_t{bytes >= 2 * kPage ? kPage : kLine}; }

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    void* memory = ::operator new(bytes, alignment(bytes));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    // Whole pages only; a refusal is no failure.
    if (bytes >= 2 * kPage) static_cast<void>(madvise(memory, bytes / kPage * kPage, MADV_HUGEPAGE));
#endif
    return static_cast<T*>(memory);
  }
  void deallocate(T* memory, std::size_t count) { ::operator delete(memory, alignment(count * sizeof(T))); }

  template <class Other>
  bool operator==(const LargePages<Other>&) const {
    return true;
  }
};

template <class T>
using Large = std::vector<T, LargePages<T>>;

}  // namespace venire
