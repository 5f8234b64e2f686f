// Ends what "base/vectors_avx2.hpp" or "base/vectors_avx512.hpp" began.
#if defined(__clang__)
#pragma clang attribute pop
#else
#pragma GCC pop_options
#endif
