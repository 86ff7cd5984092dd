// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// linear_attention against the steps of its definition over whole matrices, in double: every
// operand that may be missing, a decay and a rate of either form, shared heads, empty extents.
#include "machine.h"

#include CAMEO_TEMPLATE(linear_attention.h)

namespace cameo::test {
namespace {

struct attention_params {
  int64_t batch, tokens, heads, shared, key_size, value_size, decays, rates;
};

struct given {
  bool past, decay, rate;
};

struct results {
  std::vector<double> output, state;
};

template <class T, class S> struct inputs {
  inputs(const attention_params &p, const given &g) {
    random_values random(4);
    query = random.vector<T>(p.batch * p.tokens * p.heads * p.shared * p.key_size);
    key = random.vector<T>(p.batch * p.tokens * p.heads * p.key_size);
    value = random.vector<T>(p.batch * p.tokens * p.heads * p.value_size);
    past = random.vector<S>(g.past ? p.batch * p.heads * p.key_size * p.value_size : 0);
    decay = random.vector<float>(g.decay ? p.batch * p.tokens * p.heads * p.decays : 0);
    rate = random.vector<T>(g.rate ? p.batch * p.tokens * p.rates : 0);
  }

  std::vector<T> query, key, value, rate;
  std::vector<S> past;
  std::vector<float> decay;
};

template <class V> double at(const std::vector<V> &values, int64_t place) {
  return static_cast<double>(cast<double>(values[static_cast<size_t>(place)]));
}

template <class T, class S>
results expected(const attention_params &p, const given &g, const inputs<T, S> &in) {
  results want;
  const int64_t size = p.key_size * p.value_size;
  want.output.resize(static_cast<size_t>(p.batch * p.tokens * p.heads * p.shared * p.value_size));
  for (int64_t head = 0; head < p.batch * p.heads; ++head) {
    std::vector<double> state(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i)
      state[static_cast<size_t>(i)] = g.past ? at(in.past, head * size + i) : 0;
    for (int64_t t = 0; t < p.tokens; ++t) {
      const int64_t token = head / p.heads * p.tokens + t, place = token * p.heads + head % p.heads;
      const auto key = [&](int64_t i) { return at(in.key, place * p.key_size + i / p.value_size); };
      std::vector<double> added(static_cast<size_t>(p.value_size));
      for (int64_t i = 0; i < size; ++i) {
        const int64_t d = p.decays == 1 ? 0 : i / p.value_size;
        state[static_cast<size_t>(i)] *= g.decay ? at(in.decay, place * p.decays + d) : 1;
        added[static_cast<size_t>(i % p.value_size)] -= key(i) * state[static_cast<size_t>(i)];
      }
      for (int64_t c = 0; c < p.value_size; ++c) {
        const double value = at(in.value, place * p.value_size + c);
        const int64_t rate = token * p.rates + (p.rates == 1 ? 0 : head % p.heads);
        double &sum = added[static_cast<size_t>(c)];
        sum = g.rate ? at(in.rate, rate) * (value + sum) : value;
      }
      for (int64_t i = 0; i < size; ++i)
        state[static_cast<size_t>(i)] += key(i) * added[static_cast<size_t>(i % p.value_size)];
      for (int64_t q = 0; q < p.shared; ++q)
        for (int64_t i = 0; i < size; ++i)
          want.output[static_cast<size_t>((place * p.shared + q) * p.value_size +
                                          i % p.value_size)] +=
              at(in.query, (place * p.shared + q) * p.key_size + i / p.value_size) *
              state[static_cast<size_t>(i)];
    }
    want.state.insert(want.state.end(), state.begin(), state.end());
  }
  return want;
}

template <class T, class S> void check(const attention_params &p, const given &g) {
  const inputs<T, S> in(p, g);
  const results want = expected(p, g, in);
  for (int threads : team_sizes()) {
    machine mach(threads);
    array<T> query(mach, in.query), key(mach, in.key), value(mach, in.value), rate(mach, in.rate);
    array<S> past(mach, in.past);
    array<float> decay(mach, in.decay);
    const index<4> outputs{{p.batch, p.tokens, p.heads * p.shared, p.value_size}},
        states{{p.batch, p.heads, p.key_size, p.value_size}};
    array<float> output(mach, volume(outputs)), state(mach, volume(states));
    mach.run([&](exec &e) {
      linear_attention(e, p, static_cast<const T *>(query.data()),
                       static_cast<const T *>(key.data()), static_cast<const T *>(value.data()),
                       g.past ? static_cast<const S *>(past.data()) : nullptr,
                       g.decay ? static_cast<const float *>(decay.data()) : nullptr,
                       g.rate ? static_cast<const T *>(rate.data()) : nullptr,
                       dense_store<float, 4>{output.data(), outputs},
                       dense_store<float, 4>{state.data(), states});
    });
    CHECK(worst_error(output.values(), want.output) < 1e-5);
    CHECK(worst_error(state.values(), want.state) < 1e-5);
  }
}

} // namespace

TEST_CASE("linear_attention by every rule", "[linear_attention]") {
  for (bool past : {false, true})
    for (bool rate : {false, true}) {
      check<float, float>({2, 5, 2, 1, 4, 3, 1, 2}, {past, false, rate});
      check<float, float>({2, 5, 2, 3, 4, 3, 4, 1}, {past, true, rate});
      check<half, float>({1, 3, 3, 2, 5, 70, 1, 3}, {past, true, rate});
    }
}

TEST_CASE("linear_attention of empty extents", "[linear_attention]") {
  check<float, float>({0, 2, 2, 1, 4, 3, 1, 2}, {true, true, true});
  check<float, float>({2, 0, 2, 1, 4, 3, 1, 2}, {true, true, true});
  check<float, float>({2, 2, 2, 1, 0, 3, 1, 2}, {true, true, true});
  check<float, float>({2, 2, 2, 1, 4, 0, 1, 2}, {true, true, true});
  check<float, float>({1, 40, 9, 1, 16, 130, 16, 9}, {false, true, true});
}

} // namespace cameo::test
