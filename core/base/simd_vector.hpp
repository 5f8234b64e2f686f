// Vectors of VENIRE_VECTOR_BYTES bytes and what the loops do with them: the compilers' own vector types, which become
// whatever registers the target has; for compilers without them, plain arrays.
#if defined(__GNUC__) || defined(__clang__)

template <class T>
struct VectorOf;
template <>
struct VectorOf<float> {
  typedef float type __attribute__((vector_size(VENIRE_VECTOR_BYTES)));
  typedef std::int32_t bits __attribute__((vector_size(VENIRE_VECTOR_BYTES)));
};
template <>
struct VectorOf<double> {
  typedef double type __attribute__((vector_size(VENIRE_VECTOR_BYTES)));
  typedef std::int64_t bits __attribute__((vector_size(VENIRE_VECTOR_BYTES)));
  typedef float half __attribute__((vector_size(VENIRE_VECTOR_BYTES / 2)));
  typedef std::int32_t counts __attribute__((vector_size(VENIRE_VECTOR_BYTES / 2)));
};
template <class T>
using Vector = typename VectorOf<T>::type;

VENIRE_INLINE Vector<float> load(const float* from) {
  Vector<float> to;
  __builtin_memcpy(&to, from, sizeof to);
  return to;
}
VENIRE_INLINE Vector<double> load(const double* from) {
  Vector<double> to;
  __builtin_memcpy(&to, from, sizeof to);
  return to;
}
VENIRE_INLINE void store(const Vector<float>& v, float* to) { __builtin_memcpy(to, &v, sizeof v); }
VENIRE_INLINE void store(const Vector<double>& v, double* to) { __builtin_memcpy(to, &v, sizeof v); }
VENIRE_INLINE void narrow(const Vector<double>& v, float* to) {
  const VectorOf<double>::half half = __builtin_convertvector(v, VectorOf<double>::half);
  __builtin_memcpy(to, &half, sizeof half);
}

VENIRE_INLINE Vector<double> widen(const std::int32_t* from) {
  VectorOf<double>::counts half;
  __builtin_memcpy(&half, from, sizeof half);
  return __builtin_convertvector(half, Vector<double>);
}

VENIRE_INLINE Vector<float> all(float value) { return Vector<float>{} + value; }
VENIRE_INLINE Vector<double> all(double value) { return Vector<double>{} + value; }
VENIRE_INLINE Vector<float> larger(const Vector<float>& a, const Vector<float>& b) { return a > b ? a : b; }
VENIRE_INLINE Vector<double> larger(const Vector<double>& a, const Vector<double>& b) { return a > b ? a : b; }
VENIRE_INLINE Vector<float> smaller(const Vector<float>& a, const Vector<float>& b) { return a < b ? a : b; }
VENIRE_INLINE Vector<double> smaller(const Vector<double>& a, const Vector<double>& b) { return a < b ? a : b; }
VENIRE_INLINE Vector<float> pick_positive(const Vector<float>& by, const Vector<float>& a, const Vector<float>& b) {
  return by > all(0.0f) ? a : b;
}
VENIRE_INLINE Vector<double> pick_positive(const Vector<double>& by, const Vector<double>& a, const Vector<double>& b) {
  return by > all(0.0) ? a : b;
}

// v · 2^n, where n was left in the low bits of `shifted` by adding 1.5 · 2^23 (or 2^52).
VENIRE_INLINE Vector<float> times_power(const Vector<float>& v, const Vector<float>& shifted) {
  typedef VectorOf<float>::bits Bits;
  return (Vector<float>)((Bits)v + ((Bits)shifted << 23));
}
VENIRE_INLINE Vector<double> times_power(const Vector<double>& v, const Vector<double>& shifted) {
  typedef VectorOf<double>::bits Bits;
  return (Vector<double>)((Bits)v + ((Bits)shifted << 52));
}

// The sum over the lanes, halves first.
template <class T, std::size_t Bytes>
struct SumOf {
  typedef T Whole __attribute__((vector_size(Bytes)));
  typedef T Half __attribute__((vector_size(Bytes / 2)));
  VENIRE_INLINE static T of(const Whole& v) {
    Half low, high;
    __builtin_memcpy(&low, &v, sizeof low);
    __builtin_memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof low, sizeof high);
    return SumOf<T, Bytes / 2>::of(low + high);
  }
};
template <>
struct SumOf<float, 16> {
  typedef float Whole __attribute__((vector_size(16)));
  VENIRE_INLINE static float of(const Whole& v) { return (v[0] + v[2]) + (v[1] + v[3]); }
};
template <>
struct SumOf<double, 16> {
  typedef double Whole __attribute__((vector_size(16)));
  VENIRE_INLINE static double of(const Whole& v) { return v[0] + v[1]; }
};
template <class T>
VENIRE_INLINE T sum_of(const Vector<T>& v) {
  return SumOf<T, VENIRE_VECTOR_BYTES>::of(v);
}

#else

template <class T>
struct Vector {
  T lane[VENIRE_VECTOR_BYTES / sizeof(T)];
};

template <class T, class Make>
VENIRE_INLINE Vector<T> each(const Make& make) {
  Vector<T> to;
  for (std::size_t i = 0; i < VENIRE_VECTOR_BYTES / sizeof(T); ++i) to.lane[i] = make(i);
  return to;
}

template <class T>
VENIRE_INLINE Vector<T> operator+(const Vector<T>& a, const Vector<T>& b) {
  return each<T>([&](std::size_t i) { return a.lane[i] + b.lane[i]; });
}
template <class T>
VENIRE_INLINE Vector<T> operator-(const Vector<T>& a, const Vector<T>& b) {
  return each<T>([&](std::size_t i) { return a.lane[i] - b.lane[i]; });
}
template <class T>
VENIRE_INLINE Vector<T> operator*(const Vector<T>& a, const Vector<T>& b) {
  return each<T>([&](std::size_t i) { return a.lane[i] * b.lane[i]; });
}
template <class T>
VENIRE_INLINE Vector<T> operator/(const Vector<T>& a, const Vector<T>& b) {
  return each<T>([&](std::size_t i) { return a.lane[i] / b.lane[i]; });
}
template <class T>
VENIRE_INLINE Vector<T> operator-(const Vector<T>& a) {
  return each<T>([&](std::size_t i) { return -a.lane[i]; });
}

template <class T>
VENIRE_INLINE Vector<T> load(const T* from) {
  return each<T>([&](std::size_t i) { return from[i]; });
}
template <class T>
VENIRE_INLINE void store(const Vector<T>& v, T* to) {
  for (std::size_t i = 0; i < VENIRE_VECTOR_BYTES / sizeof(T); ++i) to[i] = v.lane[i];
}
VENIRE_INLINE void narrow(const Vector<double>& v, float* to) {
  for (std::size_t i = 0; i < VENIRE_VECTOR_BYTES / sizeof(double); ++i) to[i] = static_cast<float>(v.lane[i]);
}

VENIRE_INLINE Vector<double> widen(const std::int32_t* from) {
  return each<double>([&](std::size_t i) { return static_cast<double>(from[i]); });
}

template <class T>
VENIRE_INLINE Vector<T> all(T value) {
  return each<T>([&](std::size_t) { return value; });
}
template <class T>
VENIRE_INLINE Vector<T> larger(const Vector<T>& a, const Vector<T>& b) {
  return each<T>([&](std::size_t i) { return a.lane[i] > b.lane[i] ? a.lane[i] : b.lane[i]; });
}
template <class T>
VENIRE_INLINE Vector<T> smaller(const Vector<T>& a, const Vector<T>& b) {
  return each<T>([&](std::size_t i) { return a.lane[i] < b.lane[i] ? a.lane[i] : b.lane[i]; });
}
template <class T>
VENIRE_INLINE Vector<T> pick_positive(const Vector<T>& by, const Vector<T>& a, const Vector<T>& b) {
  return each<T>([&](std::size_t i) { return by.lane[i] > 0 ? a.lane[i] : b.lane[i]; });
}

VENIRE_INLINE Vector<float> times_power(const Vector<float>& v, const Vector<float>& shifted) {
  return each<float>([&](std::size_t i) {
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(v.lane[i]) +
                                (std::bit_cast<std::uint32_t>(shifted.lane[i]) << 23));
  });
}
VENIRE_INLINE Vector<double> times_power(const Vector<double>& v, const Vector<double>& shifted) {
  return each<double>([&](std::size_t i) {
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(v.lane[i]) +
                                 (std::bit_cast<std::uint64_t>(shifted.lane[i]) << 52));
  });
}

template <class T>
VENIRE_INLINE T sum_of(const Vector<T>& v) {
  T sum = 0;
  for (const T value : v.lane) sum += value;
  return sum;
}

#endif
