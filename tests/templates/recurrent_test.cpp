// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// lstm, gru and rnn against the equations of the ONNX specification, in double, one unit at a time:
// both directions, both layouts, sequence lengths, absent operands, clip, peepholes.
#include "machine.h"

#include CAMEO_TEMPLATE(recurrent.h)

namespace cameo::test {
namespace {

struct logistic {
  template <class A> CAMEO_DEVICE A operator()(const index<1> &, A v) const { return sigmoid(v); }
};
/// Different in each direction.
struct squash {
  template <class A> CAMEO_DEVICE A operator()(const index<1> &direction, A v) const {
    return direction[0] == 0 ? tanh(v) : max(v, A{0});
  }
};
double logistic_of(double v) { return 1 / (1 + std::exp(-v)); }
double squash_of(int direction, double v) {
  return direction == 0 ? std::tanh(v) : std::max(v, 0.0);
}

template <int DIRECTIONS, int LAYOUT, int64_t HIDDEN = 5> struct layer_params {
  static constexpr int directions = DIRECTIONS, layout = LAYOUT;
  static constexpr int64_t input = 3, hidden = HIDDEN;
  int64_t seq, batch;
  bool reverse;
  float clip;
  bool input_forget, linear_before_reset;
};

/// Tensors of a layer with `gates` gates, in double, with their positions.
template <class P> struct layer_data {
  const P &p;
  int64_t gates;
  std::vector<double> x, w, r, b, h0, c0, peephole;
  std::vector<int32_t> lengths;

  double at(const std::vector<double> &v, int64_t i) const {
    return v.empty() ? 0 : v[static_cast<size_t>(i)];
  }
  int64_t length(int64_t n) const {
    return lengths.empty() ? p.seq : lengths[static_cast<size_t>(n)];
  }
  int64_t state(int d, int64_t n, int64_t j) const {
    return (P::layout == 0 ? d * p.batch + n : n * P::directions + d) * P::hidden + j;
  }
  int64_t output(int64_t t, int d, int64_t n, int64_t j) const {
    return P::layout == 0 ? ((t * P::directions + d) * p.batch + n) * P::hidden + j
                          : ((n * p.seq + t) * P::directions + d) * P::hidden + j;
  }
  /// x W, and Wb.
  double from_input(int d, int64_t t, int64_t n, int64_t gate, int64_t j) const {
    const int64_t row = d * gates * P::hidden + gate * P::hidden + j;
    double sum = at(b, 2 * d * gates * P::hidden + gate * P::hidden + j);
    for (int64_t k = 0; k < P::input; ++k)
      sum += at(x, (P::layout == 0 ? t * p.batch + n : n * p.seq + t) * P::input + k) *
             at(w, row * P::input + k);
    return sum;
  }
  /// h R, and Rb.
  double from_state(int d, const std::vector<double> &h, int64_t gate, int64_t j) const {
    const int64_t row = d * gates * P::hidden + gate * P::hidden + j;
    double sum = at(b, (2 * d + 1) * gates * P::hidden + gate * P::hidden + j);
    for (int64_t k = 0; k < P::hidden; ++k)
      sum += h[static_cast<size_t>(k)] * at(r, row * P::hidden + k);
    return sum;
  }
  double clipped(double v) const {
    const auto c = static_cast<double>(p.clip);
    return c > 0 ? std::clamp(v, -c, c) : v;
  }
};

struct outputs {
  std::vector<double> y, y_h, y_c;
};

/// Runs cell(direction, t, n, h, c) -> new h over all sequences.
template <class P, class CELL> outputs simulate(const layer_data<P> &l, CELL cell) {
  const P &p = l.p;
  outputs o;
  o.y.resize(static_cast<size_t>(p.seq * P::directions * p.batch * P::hidden));
  o.y_h.resize(static_cast<size_t>(P::directions * p.batch * P::hidden));
  o.y_c = o.y_h;
  for (int d = 0; d < P::directions; ++d)
    for (int64_t n = 0; n < p.batch; ++n) {
      std::vector<double> h, c;
      for (int64_t j = 0; j < P::hidden; ++j) {
        h.push_back(l.at(l.h0, l.state(d, n, j)));
        c.push_back(l.at(l.c0, l.state(d, n, j)));
      }
      const int64_t length = l.length(n);
      const bool backwards = P::directions == 2 ? d == 1 : p.reverse;
      for (int64_t s = 0; s < length; ++s) {
        const int64_t t = backwards ? length - 1 - s : s;
        h = cell(d, t, n, h, c);
        for (int64_t j = 0; j < P::hidden; ++j)
          o.y[static_cast<size_t>(l.output(t, d, n, j))] = h[static_cast<size_t>(j)];
      }
      for (int64_t j = 0; j < P::hidden; ++j) {
        o.y_h[static_cast<size_t>(l.state(d, n, j))] = h[static_cast<size_t>(j)];
        o.y_c[static_cast<size_t>(l.state(d, n, j))] = c[static_cast<size_t>(j)];
      }
    }
  return o;
}

template <class P> outputs expected_lstm(const layer_data<P> &l) {
  return simulate(
      l, [&](int d, int64_t t, int64_t n, const std::vector<double> &h, std::vector<double> &c) {
        std::vector<double> next;
        for (int64_t j = 0; j < P::hidden; ++j) {
          const auto gate = [&](int64_t g) {
            return l.from_input(d, t, n, g, j) + l.from_state(d, h, g, j);
          };
          const auto peek = [&](int64_t g, double v) {
            return l.at(l.peephole, (d * 3 + g) * P::hidden + j) * v;
          };
          double &state = c[static_cast<size_t>(j)];
          const double in = logistic_of(l.clipped(gate(0) + peek(0, state)));
          const double forget =
              l.p.input_forget ? 1 - in : logistic_of(l.clipped(gate(2) + peek(2, state)));
          state = forget * state + in * squash_of(d, l.clipped(gate(3)));
          const double out = logistic_of(l.clipped(gate(1) + peek(1, state)));
          next.push_back(out * squash_of(d, state));
        }
        return next;
      });
}

template <class P> outputs expected_gru(const layer_data<P> &l) {
  return simulate(
      l, [&](int d, int64_t t, int64_t n, const std::vector<double> &h, std::vector<double> &) {
        std::vector<double> next, reset_h;
        const auto gate = [&](int64_t g, int64_t j) {
          return logistic_of(l.clipped(l.from_input(d, t, n, g, j) + l.from_state(d, h, g, j)));
        };
        for (int64_t j = 0; j < P::hidden; ++j)
          reset_h.push_back(gate(1, j) * h[static_cast<size_t>(j)]);
        for (int64_t j = 0; j < P::hidden; ++j) {
          const double recurrent = l.p.linear_before_reset ? gate(1, j) * l.from_state(d, h, 2, j)
                                                           : l.from_state(d, reset_h, 2, j);
          const double candidate = squash_of(d, l.clipped(l.from_input(d, t, n, 2, j) + recurrent));
          const double z = gate(0, j);
          next.push_back((1 - z) * candidate + z * h[static_cast<size_t>(j)]);
        }
        return next;
      });
}

template <class P> outputs expected_rnn(const layer_data<P> &l) {
  return simulate(
      l, [&](int d, int64_t t, int64_t n, const std::vector<double> &h, std::vector<double> &) {
        std::vector<double> next;
        for (int64_t j = 0; j < P::hidden; ++j)
          next.push_back(
              squash_of(d, l.clipped(l.from_input(d, t, n, 0, j) + l.from_state(d, h, 0, j))));
        return next;
      });
}

enum class kind { lstm, gru, rnn };

/// With `full`, all optional operands; without, only x, w and r, and no y.
template <kind KIND, class T, class P> void check(const P &p, bool full, bool lengths) {
  INFO("directions " << P::directions << " layout " << P::layout << " full " << full);
  const int64_t gates = KIND == kind::lstm ? 4 : KIND == kind::gru ? 3 : 1;
  const int64_t states = P::directions * p.batch * P::hidden;
  random_values random(17);
  const auto x = random.vector<T>(p.seq * p.batch * P::input);
  const auto w = random.vector<T>(P::directions * gates * P::hidden * P::input);
  const auto r = random.vector<T>(P::directions * gates * P::hidden * P::hidden);
  const auto b = random.vector<T>(full ? P::directions * 2 * gates * P::hidden : 0);
  const auto h0 = random.vector<T>(full ? states : 0), c0 = random.vector<T>(full ? states : 0);
  const auto peephole = random.vector<T>(full ? P::directions * 3 * P::hidden : 0);
  layer_data<P> l = {p,
                     gates,
                     as_double(x),
                     as_double(w),
                     as_double(r),
                     as_double(b),
                     as_double(h0),
                     as_double(c0),
                     as_double(peephole),
                     {}};
  for (int64_t n = 0; n < p.batch && lengths; ++n)
    l.lengths.push_back(static_cast<int32_t>(n % (p.seq + 1)));
  const outputs want = KIND == kind::lstm  ? expected_lstm(l)
                       : KIND == kind::gru ? expected_gru(l)
                                           : expected_rnn(l);
  const double error = std::is_same_v<T, half> ? 2e-3 : std::is_same_v<T, double> ? 1e-13 : 3e-6;
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> ax(mach, x), aw(mach, w), ar(mach, r), ab(mach, b), ah(mach, h0), ac(mach, c0),
        ap(mach, peephole), y(mach, p.seq * states), y_h(mach, states), y_c(mach, states);
    array<int32_t> al(mach, l.lengths);
    T *const null = nullptr;
    mach.run([&](exec &e) {
      const int32_t *lens = lengths ? al.data() : nullptr;
      T *const bias = full ? ab.data() : null, *const first = full ? ah.data() : null;
      T *const all = full ? y.data() : null;
      if constexpr (KIND == kind::lstm)
        lstm(e, p, ax.data(), aw.data(), ar.data(), bias, lens, first, full ? ac.data() : null,
             full ? ap.data() : null, all, y_h.data(), y_c.data(), logistic{}, squash{}, squash{});
      else if constexpr (KIND == kind::gru)
        gru(e, p, ax.data(), aw.data(), ar.data(), bias, lens, first, all, y_h.data(), logistic{},
            squash{});
      else
        rnn(e, p, ax.data(), aw.data(), ar.data(), bias, lens, first, all, y_h.data(), squash{});
    });
    if (full)
      CHECK(worst_error(y.values(), want.y) <= error);
    CHECK(worst_error(y_h.values(), want.y_h) <= error);
    if (KIND == kind::lstm)
      CHECK(worst_error(y_c.values(), want.y_c) <= error);
    CHECK(mach.code() == CAMEO_OK);
  }
}

template <kind KIND> void check_all() {
  using forward = layer_params<1, 0>;
  using both = layer_params<2, 1>;
  check<KIND, float>(forward{4, 3, false, 0, false, false}, true, false);
  check<KIND, float>(forward{4, 6, true, 0.5f, true, true}, true, true);
  check<KIND, float>(both{3, 2, false, 0, false, true}, true, true);
  check<KIND, float>(both{3, 7, false, 0, true, false}, false, false);
  check<KIND, double>(layer_params<2, 0>{3, 5, false, 0, false, false}, true, true);
  check<KIND, half>(forward{3, 2, false, 0, false, false}, true, false);
  check<KIND, float>(forward{0, 2, false, 0, false, false}, true, false);
  check<KIND, float>(forward{3, 0, false, 0, false, false}, true, false);
  // Rows of weights by 16 bytes; few sequences and many.
  for (int64_t batch : {1, 4, 5}) {
    check<KIND, float>(layer_params<2, 0, 20>{3, batch, false, 0, false, false}, true, true);
    check<KIND, double>(layer_params<1, 1, 18>{3, batch, false, 0, false, true}, true, false);
    check<KIND, half>(layer_params<2, 1, 40>{3, batch, false, 0, true, false}, true, true);
  }
  // Whole blocks of columns, shared by the steps.
  for (int64_t batch : {4, 5, 17}) {
    check<KIND, float>(layer_params<2, 0, 16>{3, batch, false, 0, false, false}, true, true);
    check<KIND, float>(layer_params<2, 1, 16>{2, batch, false, 0, false, true}, true, true);
    check<KIND, float>(layer_params<1, 0, 32>{1, batch, true, 0, false, true}, true, false);
  }
}

TEST_CASE("lstm") { check_all<kind::lstm>(); }
TEST_CASE("gru") { check_all<kind::gru>(); }
TEST_CASE("rnn") { check_all<kind::rnn>(); }

TEST_CASE("rnn with a sequence length out of range") {
  machine mach;
  const layer_params<1, 0> p = {2, 1, false, 0, false, false};
  array<float> x(mach, std::vector<float>(6, 1.0f)), w(mach, std::vector<float>(15, 1.0f)),
      r(mach, std::vector<float>(25, 1.0f)), y(mach, 10);
  array<int32_t> lengths(mach, std::vector<int32_t>{3});
  mach.run([&](exec &e) {
    rnn(e, p, x.data(), w.data(), r.data(), nullptr, lengths.data(), nullptr, y.data(), nullptr,
        squash{});
  });
  CHECK(mach.code() == CAMEO_OUT_OF_RANGE);
  CHECK(mach.got() == 3);
  CHECK(mach.limit() == 2);
}

} // namespace
} // namespace cameo::test
