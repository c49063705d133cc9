/* Heston calibration with the C library's complex numbers. */
#include <complex.h>

#include "fut.h"

static int32_t generations;
static int64_t points;
static Value population, strikes, years, prices;
static double *sets, error, best[5];

static void input(void) {
  generations = get_i32();
  points = get_i64();
  population = get("f64", 2);
  strikes = get("f64", 1), years = get("f64", 1), prices = get("f64", 1);
  sets = ALLOC(double, population.count);
}

static double call(const double *p, double strike, double t) {
  double start = p[0], mean = p[1], speed = p[2], vol = p[3], rho = p[4], width = 100.0 / points, sum = 0;
  for (int64_t j = 0; j < points; j++) {
    double x = (j + 0.5) * width;
    double complex iu = I * (x - 0.5 * I), b = speed - rho * vol * iu;
    double complex d = csqrt(b * b + vol * vol * (iu - iu * iu)), g = (b - d) / (b + d), e = cexp(-d * t);
    double complex level = speed * mean * ((b - d) * t - 2 * clog((1 - g * e) / (1 - g)));
    double complex slope = start * (b - d) * (1 - e) / (1 - g * e);
    double complex phi = cexp((level + slope) / (vol * vol) - I * x * log(strike));
    sum += creal(phi) / (x * x + 0.25);
  }
  return 1 - sqrt(strike) / acos(-1) * width * sum;
}

static void pick(void) {
  error = INFINITY;
  for (int64_t i = 0; i < population.dim[0]; i++) {
    double sum = 0;
    for (int64_t q = 0; q < prices.count; q++) {
      double e = call(sets + 5 * i, ((double *)strikes.data)[q], ((double *)years.data)[q]) - ((double *)prices.data)[q];
      sum += e * e;
    }
    if (sum / prices.count < error) error = sum / prices.count, memcpy(best, sets + 5 * i, sizeof best);
  }
}

static void compute(void) {
  memcpy(sets, population.data, population.count * sizeof(double));
  for (int32_t s = 0; s < generations; s++) {
    pick();
    for (int64_t i = 0; i < population.count; i++) sets[i] = 0.5 * (sets[i] + best[i % 5]);
  }
  pick();
}

static void output(void) {
  put("f64", 0, NULL, &error);
  put("f64", 1, DIMS(5), best);
}
