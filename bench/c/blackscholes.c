/* European calls and puts in closed form. */
#include "fut.h"

static float rate, vol;
static Value spot, strike, years;
static float *call, *put_price;

static void input(void) {
  rate = get_f32();
  vol = get_f32();
  spot = get("f32", 1);
  strike = get("f32", 1);
  years = get("f32", 1);
  call = ALLOC(float, spot.count);
  put_price = ALLOC(float, spot.count);
}

/* The normal distribution function by a polynomial of degree five (Abramowitz and Stegun 26.2.17). */
static float cnd(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float poly = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
  float tail = 0.39894228f * expf(-0.5f * d * d) * poly;
  return d > 0 ? 1.0f - tail : tail;
}

static void compute(void) {
  const float *s = spot.data, *x = strike.data, *t = years.data;
  for (int64_t i = 0; i < spot.count; i++) {
    float root = sqrtf(t[i]);
    float d1 = (logf(s[i] / x[i]) + (rate + 0.5f * vol * vol) * t[i]) / (vol * root);
    float d2 = d1 - vol * root;
    float n1 = cnd(d1), n2 = cnd(d2);
    float paid = x[i] * expf(-rate * t[i]);
    call[i] = s[i] * n1 - paid * n2;
    put_price[i] = paid * (1.0f - n2) - s[i] * (1.0f - n1);
  }
}

static void output(void) {
  put("f32", 1, spot.dim, call);
  put("f32", 1, spot.dim, put_price);
}
