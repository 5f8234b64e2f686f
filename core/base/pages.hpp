// Memory for tables that are read in leaps: arrays begin at a cache line, and large ones lie on large pages.
//
// A row of codes that begins at a line's beginning lies in as few lines as it can, and with pages of two megabytes the
// processor knows where every row of a million is without looking its page up. Large pages are given to memory that was
// never touched, so large arrays are asked from the system afresh. Linux only; elsewhere, and where it declines, the
// pages are the ordinary ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#if defined(__linux__)
#include <sys/mman.h>
#endif
#if defined(__GLIBC__)
#include <malloc.h>
#endif

namespace venire {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

#if defined(__linux__) && defined(MADV_HUGEPAGE)
constexpr std::size_t kWorthLargePages = kLargePage;

// Mapped with a page to spare, of which both ends are given back so that the rest begins at a page.
inline void* map_pages(std::size_t bytes) {
  void* got = mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) throw std::bad_alloc();
  char* memory = static_cast<char*>(got);
  const std::size_t before = (kLargePage - reinterpret_cast<std::uintptr_t>(memory) % kLargePage) % kLargePage;
  if (before > 0) munmap(memory, before);
  munmap(memory + before + bytes, kLargePage - before);
  static_cast<void>(madvise(memory + before, bytes, MADV_HUGEPAGE));  // a refusal is no failure
  return memory + before;
}

inline void unmap_pages(void* memory, std::size_t bytes) { munmap(memory, bytes); }
#else
constexpr std::size_t kWorthLargePages = SIZE_MAX;
inline void* map_pages(std::size_t) { throw std::bad_alloc(); }
inline void unmap_pages(void*, std::size_t) {}
#endif

// What lies in this memory is not needed any more: whole pages of it go back to the system, and read as zeros or as
// before. The memory itself stays its owner's.
inline void forget(void* memory, std::size_t bytes) {
#if defined(__linux__) && defined(MADV_DONTNEED)
  constexpr std::uintptr_t kPage = 1 << 16;  // a multiple of every page that is in use
  const std::size_t before = (kPage - reinterpret_cast<std::uintptr_t>(memory) % kPage) % kPage;
  const std::size_t whole = bytes > before ? (bytes - before) / kPage * kPage : 0;
  if (whole > 0) static_cast<void>(madvise(static_cast<char*>(memory) + before, whole, MADV_DONTNEED));
#else
  static_cast<void>(memory), static_cast<void>(bytes);
#endif
}

// Memory that was freed, but that the C library keeps for the next one who asks, goes back to the system. Costs up to a
// millisecond.
inline void give_back() {
#if defined(__GLIBC__)
  malloc_trim(0);
#endif
}

template <class T>
struct LargePages {
  using value_type = T;
  static constexpr std::align_val_t kLine{64};

  LargePages() = default;
  template <class Other>
  LargePages(const LargePages<Other>&) {}

  static std::size_t whole_pages(std::size_t bytes) { return (bytes + kLargePage - 1) / kLargePage * kLargePage; }

  T* allocate(std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    return static_cast<T*>(bytes >= kWorthLargePages ? map_pages(whole_pages(bytes)) : ::operator new(bytes, kLine));
  }
  void deallocate(T* memory, std::size_t count) {
    const std::size_t bytes = count * sizeof(T);
    if (bytes >= kWorthLargePages) unmap_pages(memory, whole_pages(bytes));
    else ::operator delete(memory, kLine);
  }

  // New entries are not set: every array of this kind is filled by its owner.
  template <class Other>
  void construct(Other* at) {
    ::new (static_cast<void*>(at)) Other;
  }
  template <class Other, class... Arguments>
  void construct(Other* at, Arguments&&... arguments) {
    ::new (static_cast<void*>(at)) Other(static_cast<Arguments&&>(arguments)...);
  }

  template <class Other>
  bool operator==(const LargePages<Other>&) const {
    return true;
  }
};

template <class T>
using Large = std::vector<T, LargePages<T>>;

}  // namespace venire
