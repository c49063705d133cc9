/* Monte-Carlo pricing: Sobol numbers by the Gray-code recurrence, one path at a time, sums in double precision. */
#include "fut.h"

static int32_t contract, paths;
static Value dirs, corr, vols, drifts, starts, detvals, discs, bb_index, bb_weight;
static int64_t dates, unders, models, bits;
static float *prices;

static void input(void) {
  contract = get_i32();
  paths = get_i32();
  dirs = get("i32", 2);
  corr = get("f32", 3), vols = get("f32", 3), drifts = get("f32", 3);
  starts = get("f32", 2), detvals = get("f32", 2), discs = get("f32", 2);
  bb_index = get("i32", 2), bb_weight = get("f32", 2);
  models = vols.dim[0], dates = vols.dim[1], unders = vols.dim[2], bits = dirs.dim[1];
  prices = ALLOC(float, models);
}

static double poly(const double *c, double x) {
  double sum = 0;
  for (int i = 7; i >= 0; i--) sum = sum * x + c[i];
  return sum;
}

/* The inverse of the normal distribution function: Wichura's algorithm AS 241. */
static double quantile(double p) {
  static const double a[] = {3.3871328727963666080, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125,
                             45921.953931549871457, 67265.770927008700853, 33430.575583588128105, 2509.0809287301226727};
  static const double b[] = {1, 42.313330701600911252, 687.18700749205790830, 5394.1960214247511077,
                             21213.794301586595867, 39307.895800092710610, 28729.085735721942674, 5226.4952788528545610};
  static const double c[] = {1.42343711074968357734, 4.63033784615654529590, 5.76949722146069140550, 3.64784832476320460504,
                             1.27045825245236838258, 0.241780725177450611770, 2.27238449892691845833e-2, 7.7454501427834140764e-4};
  static const double d[] = {1, 2.05319162663775882187, 1.67638483018380384940, 0.689767334985100004550,
                             0.148103976427480074590, 1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9};
  static const double e[] = {6.65790464350110377720, 5.46378491116411436990, 1.78482653991729133580, 0.296560571828504891230,
                             2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static const double f[] = {1, 0.599832206555887937690, 0.136929880922735805310, 1.48753612908506148525e-2,
                             7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15};
  double q = p - 0.5;
  if (fabs(q) <= 0.425) {
    double r = 0.180625 - q * q;
    return q * poly(a, r) / poly(b, r);
  }
  double r = sqrt(-log(q < 0 ? p : 1 - p));
  double x = r <= 5 ? poly(c, r - 1.6) / poly(d, r - 1.6) : poly(e, r - 5) / poly(f, r - 5);
  return q < 0 ? -x : x;
}

/* How far the worst of three assets has come. */
static double worst(const double *p) { return fmin(fmin(p[0] / 3758.05, p[1] / 11840.0), p[2] / 1200.0); }

static double payoff(const double *path, const float *disc) {
  if (contract == 1) return fmax(0, path[0] - 4000.0) * disc[0];
  if (contract == 2) {
    static const double paid[] = {1150, 1300, 1450, 1600, 1750};
    for (int t = 0; t < 5; t++)
      if (worst(path + 3 * t) >= 1) return paid[t] * disc[t];
    double end = worst(path + 12);
    return (end > 0.75 ? 1000 : 1000 * end) * disc[4];
  }
  bool fell = false;
  for (int64_t t = 0; t < dates; t++) {
    const double *p = path + t * unders;
    if (p[0] <= 2630.635 || p[1] <= 8288 || p[2] <= 840) fell = true;
  }
  double end = worst(path + (dates - 1) * unders);
  return 100 * disc[0] + (fell && end < 1 ? 1000 * end : 1000) * disc[1];
}

static void compute(void) {
  int64_t n = dates * unders;
  const int32_t *v = dirs.data, *step = bb_index.data, *left = step + dates, *right = left + dates;
  const float *sd = bb_weight.data, *lw = sd + dates, *rw = lw + dates;
  uint32_t *sobol = ALLOC(uint32_t, n);
  double *z = ALLOC(double, n), *bridge = ALLOC(double, n), *path = ALLOC(double, n), *sum = ALLOC(double, models);
  for (int32_t i = 0; i < paths; i++) {
    int bit = __builtin_ctz(~(uint32_t)i);
    for (int64_t k = 0; k < n; k++) {
      sobol[k] ^= (uint32_t)v[k * bits + bit];
      z[k] = quantile(ldexp(sobol[k], -(int)bits));
    }
    for (int64_t u = 0; u < unders; u++) {
#define AT(t) bridge[(t) * unders + u]
      AT(step[0] - 1) = sd[0] * z[u];
      for (int64_t t = 1; t < dates; t++) {
        double x = sd[t] * z[t * unders + u];
        if (right[t] > 0) x += rw[t] * AT(right[t] - 1);
        if (left[t] > 0) x += lw[t] * AT(left[t] - 1);
        AT(step[t] - 1) = x;
      }
      for (int64_t t = dates - 1; t > 0; t--) AT(t) -= AT(t - 1);
    }
    for (int64_t m = 0; m < models; m++) {
      const float *c = (float *)corr.data + m * unders * unders, *vol = (float *)vols.data + m * n;
      const float *drift = (float *)drifts.data + m * n, *start = (float *)starts.data + m * unders;
      for (int64_t t = 0; t < dates; t++)
        for (int64_t u = 0; u < unders; u++) {
          double w = 0;
          for (int64_t k = 0; k <= u; k++) w += bridge[t * unders + k] * c[u * unders + k];
          double grow = exp(drift[t * unders + u] + vol[t * unders + u] * w);
          path[t * unders + u] = (t == 0 ? start[u] : path[(t - 1) * unders + u]) * grow;
        }
      sum[m] += payoff(path, (float *)discs.data + m * discs.dim[1]);
    }
  }
  for (int64_t m = 0; m < models; m++) prices[m] = sum[m] / paths;
  free(sobol), free(z), free(bridge), free(path), free(sum);
}

static void output(void) { put("f32", 1, DIMS(models), prices); }
