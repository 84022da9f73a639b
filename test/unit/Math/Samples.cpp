#include "Samples.h"
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <type_traits>

namespace {

template <typename T>
using Word = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;

using Random = std::mt19937_64;

double uniform(Random &random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

template <typename T>
T anyBits(Random &random) {
  return std::bit_cast<T>(static_cast<Word<T>>(random()));
}

/// Points where scripts/measure-math once found errors above the bounds: digamma's cotangent takes most of its value away,
/// lgamma is beside a zero, the sum of polygamma_2 is rounded often, and so was that of polygamma_4 around -48.27.
constexpr double foundByLongRuns[] = {0xd.49a4ecdd334cp-3, 0xd.40ee2feb3d1ep-3, 0xa.0a49b5e42e4cp-2, 0xb.fafe3cbec6c9p-3,
                                      -0xc.115a498de726p+2};

template <typename T>
std::vector<T> specials() {
  using Limits = std::numeric_limits<T>;
  const Word<T> infinity = std::bit_cast<Word<T>>(Limits::infinity());
  std::vector<T> values = {0,
                           Limits::denorm_min(),
                           Limits::min(),
                           Limits::epsilon(),
                           T(0.5),
                           1,
                           2,
                           3,
                           T(3.5),
                           4,
                           T(M_PI),
                           T(M_PI_2),
                           T(M_PI_4),
                           T(M_LN2),
                           T(88.72284),
                           T(88.722839),
                           T(-103.97208),
                           T(709.782712893384),
                           T(-745.1332191019412),
                           T(-744.44),
                           T(1e5),
                           T(131072),
                           T(16777216),
                           T(16777217),
                           T(0x1p53),
                           T(0x1p52 + 1),
                           Limits::max(),
                           Limits::infinity(),
                           T(16367173 * 0x1p72),
                           T(6381956970095103 * 0x1p797), // next to multiples of pi/2
                           std::nextafter(T(1), T(0)),
                           std::nextafter(T(1), T(2)),
                           std::nextafter(Limits::min(), T(0)),
                           std::bit_cast<T>(Word<T>(infinity + 1)),       // signalling NaN
                           std::bit_cast<T>(Word<T>(infinity | 0x12345)), // NaN with payload
                           std::bit_cast<T>(Word<T>(~Word<T>(0) >> 1)),   // NaN, all bits set
                           Limits::quiet_NaN()};
  for (double worst : foundByLongRuns)
    values.push_back(static_cast<T>(worst));
  size_t positive = values.size();
  for (size_t i = 0; i < positive; ++i)
    values.push_back(std::copysign(values[i], std::signbit(values[i]) ? T(1) : T(-1)));
  return values;
}

/// Every exponent with both signs, the ends of its binade and random fractions.
template <typename T>
void addExponents(std::vector<T> &values, Random &random) {
  constexpr int fraction = std::numeric_limits<T>::digits - 1;
  const Word<T> mask = (Word<T>(1) << fraction) - 1;
  for (Word<T> top = 0; top < Word<T>(1) << (8 * sizeof(T) - fraction); ++top) {
    values.push_back(std::bit_cast<T>(Word<T>(top << fraction)));
    values.push_back(std::bit_cast<T>(Word<T>((top << fraction) | mask)));
    for (int i = 0; i < (sizeof(T) == 4 ? 256 : 32); ++i)
      values.push_back(std::bit_cast<T>(Word<T>((top << fraction) | (static_cast<Word<T>>(random()) & mask))));
  }
}

/// Points where the unary functions have their curves, their changes of formula and the multiples of pi/2.
template <typename T>
T interesting(Random &random) {
  switch (random() % 7) {
  case 0:
    return static_cast<T>(uniform(random, -110, 110));
  case 1:
    return static_cast<T>(uniform(random, -2, 2));
  case 2:
    return static_cast<T>(uniform(random, -750, 750));
  case 3: // about 1 and -1
    return static_cast<T>((random() & 1 ? 1 : -1) + std::ldexp(uniform(random, -1, 1), -static_cast<int>(random() % 24)));
  case 4: {
    T multiple = static_cast<T>(static_cast<double>(random() % (random() & 1 ? 64 : 2000000)) * M_PI_2);
    return static_cast<T>(std::bit_cast<T>(Word<T>(std::bit_cast<Word<T>>(multiple) + random() % 3)));
  }
  case 5: { // about integers and the zeros of gamma's relatives
    constexpr double centres[] = {1.46163214496836, 2, -0.504083008264455, -1.57349847316239, -2.45702473822081,
                                  -2.74768264672741};
    double centre = random() & 1 ? centres[random() % std::size(centres)] : static_cast<double>(random() % 24) - 16;
    return static_cast<T>(centre + std::ldexp(uniform(random, -1, 1), -static_cast<int>(random() % 40)));
  }
  default:
    return static_cast<T>((random() & 1 ? 1 : -1) * std::exp2(uniform(random, -30, 30)));
  }
}

/// x with y so that x^y spreads over the range of results.
template <typename T>
void addPower(Samples<T> &samples, Random &random) {
  T x = random() & 1 ? static_cast<T>(std::exp2(uniform(random, -2, 2))) : std::fabs(anyBits<T>(random));
  if (random() % 4 == 0)
    x = static_cast<T>(1 + std::ldexp(uniform(random, -1, 1), -static_cast<int>(random() % 24)));
  double range = sizeof(T) == 4 ? 155 : 1085;
  T y = static_cast<T>(uniform(random, -range, range) / std::log2(static_cast<double>(x)));
  if (random() % 4 == 0) {
    x = -x;
    y = random() & 1 ? std::nearbyint(y) : y;
  }
  samples.a.push_back(x);
  samples.b.push_back(y);
}

/// Quotients of every size, and some within an ULP of an integer.
template <typename T>
void addDivision(Samples<T> &samples, Random &random) {
  T b = static_cast<T>((random() & 1 ? 1 : -1) * std::exp2(uniform(random, -20, 20)));
  T a = static_cast<T>(b * std::exp2(uniform(random, -3, random() & 1 ? 12 : sizeof(T) == 4 ? 60 : 200)));
  if (random() & 1)
    a = std::bit_cast<T>(Word<T>(std::bit_cast<Word<T>>(static_cast<T>(std::nearbyint(a / b) * b)) + random() % 3 - 1));
  samples.a.push_back(random() & 1 ? -a : a);
  samples.b.push_back(b);
}

/// A product and a summand: unlike in size, about to cancel, or with a denormal result.
template <typename T>
void addProduct(Samples<T> &samples, Random &random) {
  using Limits = std::numeric_limits<T>;
  auto number = [&](double range) {
    return static_cast<T>((random() & 1 ? 1 : -1) *
                          std::ldexp(uniform(random, 1, 2), static_cast<int>(uniform(random, -range, range))));
  };
  double range = Limits::max_exponent / 2.0;
  T a = number(range), b = number(range), c = number(20) * (a * b);
  switch (random() % 5) {
  case 0: // short factors give ties
    a = static_cast<T>(std::ldexp(static_cast<double>(random() % 4096), static_cast<int>(random() % 40)));
    b = static_cast<T>(std::ldexp(static_cast<double>(random() % 4096), -static_cast<int>(random() % 40)));
    c = std::ldexp(number(2), Limits::digits + static_cast<int>(random() % 30));
    break;
  case 1:
    c = -(a * b);
    break;
  case 2:
    c = std::nextafter(-(a * b), static_cast<T>(random() & 1 ? 1 : -1) * Limits::max());
    break;
  case 3: { // at the lower end of the range
    int exponent = static_cast<int>(uniform(random, -range, 0));
    a = std::ldexp(number(1), exponent);
    b = std::ldexp(number(1), Limits::min_exponent - exponent - static_cast<int>(random() % 60) + 30);
    c = random() & 1 ? std::ldexp(number(1), Limits::min_exponent - static_cast<int>(random() % Limits::digits))
                     : number(20) * (a * b);
    break;
  }
  default:
    break;
  }
  samples.a.push_back(a);
  samples.b.push_back(b);
  samples.c.push_back(c);
}

/// Two numbers that have lost digits at the lower end of the range, of which a product or a quotient of sizes loses more.
template <typename T>
void addDenormals(Samples<T> &samples, Random &random) {
  for (std::vector<T> *operand : {&samples.a, &samples.b}) {
    auto size = static_cast<T>(random() % (Word<T>(1) << (1 + random() % (std::numeric_limits<T>::digits - 1))));
    operand->push_back((random() & 1 ? 1 : -1) * (size * std::numeric_limits<T>::denorm_min()));
  }
}

template <typename T>
void addPairs(Samples<T> &samples, Random &random, const std::string &function, size_t count) {
  while (samples.a.size() < count) {
    samples.a.push_back(anyBits<T>(random));
    samples.b.push_back(anyBits<T>(random));
    addDenormals(samples, random);
    for (int i = 0; i < 3; ++i)
      function == "pow" ? addPower(samples, random) : addDivision(samples, random);
  }
}

template <typename T>
void addTriples(Samples<T> &samples, Random &random, size_t count) {
  std::vector<T> values = specials<T>();
  while (samples.a.size() < count) {
    for (std::vector<T> *operand : {&samples.a, &samples.b, &samples.c})
      operand->push_back(random() % 4 ? anyBits<T>(random) : values[random() % values.size()]);
    for (int i = 0; i < 3; ++i)
      addProduct(samples, random);
  }
}

} // namespace

template <typename T>
Samples<T> samplesFor(const std::string &function, unsigned arity, size_t count, uint64_t seed) {
  Random random(seed);
  Samples<T> samples;
  std::vector<T> values = specials<T>();
  if (arity == 1) {
    samples.a = values;
    addExponents(samples.a, random);
    for (size_t i = 0; i < count; ++i)
      samples.a.push_back(i % 4 == 0 ? interesting<T>(random) : anyBits<T>(random));
  } else {
    for (T a : values)
      for (T b : values)
        for (T c : arity == 3 ? values : std::vector<T>(1)) {
          samples.a.push_back(a);
          samples.b.push_back(b);
          samples.c.push_back(c);
        }
    if (arity == 2)
      addPairs(samples, random, function, count);
    else
      addTriples(samples, random, count);
  }
  samples.a.resize((samples.a.size() + 191) / 192 * 192, T(1));
  samples.b.resize(samples.a.size(), T(1));
  samples.c.resize(samples.a.size(), T(1));
  return samples;
}

template Samples<float> samplesFor(const std::string &, unsigned, size_t, uint64_t);
template Samples<double> samplesFor(const std::string &, unsigned, size_t, uint64_t);
