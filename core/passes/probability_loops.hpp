// From scores to probabilities and residuals, one vector of rows at a time: the part of `pass_loops.hpp`, which
// includes it, between the two products of a pass.

// exp(x) for x in [-700, 0]: 2^n times the series of exp(r), |r| <= ln 2 / 2, relative error below 1e-14.
VENIRE_INLINE Vector<double> exponential_of(Vector<double> x) {
  x = larger(x, all(-700.0));
  const Vector<double> shifted = fused(x, all(1.4426950408889634), all(6755399441055744.0));
  const Vector<double> n = shifted - all(6755399441055744.0);
  const Vector<double> r = fused(n, all(-1.90821492927058770002e-10), fused(n, all(-0.693147180369123816490), x));
  Vector<double> p = all(1.0 / 39916800.0);
  p = fused(p, r, all(1.0 / 3628800.0));
  p = fused(p, r, all(1.0 / 362880.0));
  p = fused(p, r, all(1.0 / 40320.0));
  p = fused(p, r, all(1.0 / 5040.0));
  p = fused(p, r, all(1.0 / 720.0));
  p = fused(p, r, all(1.0 / 120.0));
  p = fused(p, r, all(1.0 / 24.0));
  p = fused(p, r, all(1.0 / 6.0));
  p = fused(p, r, all(0.5));
  p = fused(p, r, all(1.0));
  p = fused(p, r, all(1.0));
  return times_power(p, shifted);
}

// exp(r) - 1 in single precision by its series, for |r| <= ln 2 / 2.
VENIRE_INLINE Vector<float> small_expm1_of(const Vector<float>& r) {
  Vector<float> p = all(1.0f / 5040.0f);
  p = fused(p, r, all(1.0f / 720.0f));
  p = fused(p, r, all(1.0f / 120.0f));
  p = fused(p, r, all(1.0f / 24.0f));
  p = fused(p, r, all(1.0f / 6.0f));
  p = fused(p, r, all(0.5f));
  return fused(p * r, r, r);
}

// The same for any x, good to a few last bits relative to itself. Beyond ±60 it stays at the ends.
VENIRE_INLINE Vector<float> expm1_of(Vector<float> x) {
  x = smaller(larger(x, all(-60.0f)), all(60.0f));
  const Vector<float> shifted = fused(x, all(1.44269504f), all(12582912.0f));
  const Vector<float> n = shifted - all(12582912.0f);
  const Vector<float> r = fused(n, all(-1.42860677e-6f), fused(n, all(-0.693145752f), x));
  const Vector<float> power = times_power(all(1.0f), shifted);
  return fused(power, small_expm1_of(r), power - all(1.0f));
}

// The probabilities of the two classes.
VENIRE_INLINE void probabilities_two(const Vector<double>& score, Vector<double>& one, Vector<double>& zero) {
  const Vector<double> small = exponential_of(smaller(score, -score));
  const Vector<double> likely = all(1.0) / (all(1.0) + small), unlikely = small * likely;
  one = pick_positive(score, likely, unlikely);
  zero = pick_positive(score, unlikely, likely);
}

// The probabilities of the two classes of a panel [class][kPanel] and the likelier one, in single precision, of which
// the exponent is reduced in double precision: good to three last bits. The larger is one minus the smaller. Below
// 1e-37 a probability stays where it is.
VENIRE_INLINE void predict_two(const double* scores, float* probabilities, float* likeliest) {
  float rest[kPanel], power[kPanel];
  for (std::size_t v = 0; v < kPanel; v += kLanes<double>) {
    const Vector<double> score = load(scores + v), x = larger(smaller(score, -score), all(-86.0));
    const Vector<double> n = fused(x, all(1.4426950408889634), all(6755399441055744.0)) - all(6755399441055744.0);
    narrow(fused(n, all(-0.693147180559945309), x), rest + v);
    narrow(n, power + v);
    narrow(pick_positive(score, all(1.0), all(0.0)), likeliest + v);
  }
  for (std::size_t v = 0; v < kPanel; v += kLanes<float>) {
    const Vector<float> p = all(1.0f) + small_expm1_of(load(rest + v)), label = load(likeliest + v);
    const Vector<float> small = times_power(p, load(power + v) + all(12582912.0f));
    const Vector<float> unlikely = small / (all(1.0f) + small), likely = all(1.0f) - unlikely;
    store(pick_positive(label, unlikely, likely), probabilities + v);
    store(pick_positive(label, likely, unlikely), probabilities + kPanel + v);
  }
}

// The probabilities of many classes [output][kPanel], from scores and the largest of them.
VENIRE_INLINE void probabilities_many(const double* scores, const Vector<double>& top, std::size_t outputs,
                                      double* probabilities) {
  Vector<double> total = all(0.0);
  for (std::size_t k = 0; k < outputs; ++k) {
    const Vector<double> e = exponential_of(load(scores + k * kPanel) - top);
    total = total + e;
    store(e, probabilities + k * kPanel);
  }
  const Vector<double> scale = all(1.0) / total;
  for (std::size_t k = 0; k < outputs; ++k) store(load(probabilities + k * kPanel) * scale, probabilities + k * kPanel);
}

VENIRE_INLINE void residuals_two(const Vector<double>& score, const std::int32_t* labels, double* residuals, float* p,
                                 float* one_minus_p) {
  Vector<double> one, zero;
  probabilities_two(score, one, zero);
  const Vector<double> label = widen(labels);  // 0 or 1
  store((all(1.0) - label) * one - label * zero, residuals);
  narrow(one, p);
  narrow(zero, one_minus_p);
}

// The scores of all outputs add up to zero: the last follows from the others.
VENIRE_INLINE void residuals_many(double* scores, std::size_t outputs, float* p) {
  Vector<double> top = load(scores), last = -top;
  for (std::size_t k = 1; k + 1 < outputs; ++k) {
    const Vector<double> score = load(scores + k * kPanel);
    top = larger(top, score);
    last = last - score;
  }
  store(last, scores + (outputs - 1) * kPanel);
  top = larger(top, last);
  probabilities_many(scores, top, outputs, scores);
  for (std::size_t k = 0; k < outputs; ++k) narrow(load(scores + k * kPanel), p + k * kPanel);
}

// p (e^d - 1 - m) / (1 + m), where m is the mean of e^d - 1: no difference of two probabilities is formed. Changes of
// scores are taken from that of the likeliest class; so m is a sum of small numbers where a row is all but settled, and
// good to its own last digits. The changes of all scores add up to zero, and so do the residuals: the last output
// follows from the others.
VENIRE_INLINE void difference_many(float* scores, std::size_t outputs, const float* probability,
                                   Vector<float>& widest) {
  Vector<float> last = all(0.0f), most = all(-1.0f), top = all(0.0f), mean = all(0.0f);
  for (std::size_t k = 0; k + 1 < outputs; ++k) {
    const Vector<float> d = load(scores + k * kPanel), p = load(probability + k * kPanel);
    last = last - d;
    top = pick_positive(p - most, d, top);
    most = larger(most, p);
  }
  store(last, scores + (outputs - 1) * kPanel);
  top = pick_positive(load(probability + (outputs - 1) * kPanel) - most, last, top);
  for (std::size_t k = 0; k < outputs; ++k) {
    const Vector<float> d = load(scores + k * kPanel) - top, grown = expm1_of(d);
    widest = larger(widest, larger(d, -d));
    mean = fused(load(probability + k * kPanel), grown, mean);
    store(grown, scores + k * kPanel);
  }
  const Vector<float> scale = all(1.0f) / (all(1.0f) + mean);
  for (std::size_t k = 0; k + 1 < outputs; ++k) {
    store(load(probability + k * kPanel) * (load(scores + k * kPanel) - mean) * scale, scores + k * kPanel);
  }
}

VENIRE_INLINE void difference_two(float* scores, const float* probability, const float* complement,
                                  Vector<float>& widest) {
  const Vector<float> d = load(scores), p = load(probability), q = load(complement), grown = expm1_of(d);
  widest = larger(widest, larger(d, -d));
  store(p * q * grown / fused(p, all(1.0f) + grown, q), scores);
}
