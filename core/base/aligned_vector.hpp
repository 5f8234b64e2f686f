// Memory that starts where a vector register would like it to.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace venire {

constexpr std::size_t kAlignment = 64;  // bytes: the widest vector

template <class T>
struct Aligned {
  using value_type = T;
  Aligned() = default;
  template <class U>
  Aligned(const Aligned<U>&) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), std::align_val_t{kAlignment})); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, std::align_val_t{kAlignment}); }
  template <class U>
  bool operator==(const Aligned<U>&) const {
    return true;
  }
};
template <class T>
using AlignedVector = std::vector<T, Aligned<T>>;

}  // namespace venire
