/* Longest common subsequences of the beginnings of two sequences, row by row. */
#include "fut.h"

static Value xs, ys;
static int32_t *row;

static void input(void) {
  xs = get("i32", 1);
  ys = get("i32", 1);
  row = ALLOC(int32_t, ys.dim[0] + 1);
}

static void compute(void) {
  const int32_t *x = (int32_t *)xs.data, *y = (int32_t *)ys.data;
  int64_t n = xs.dim[0], m = ys.dim[0];
  memset(row, 0, (m + 1) * sizeof(int32_t));
  for (int64_t i = 0; i < n; i++) {
    int32_t diagonal = 0;
    for (int64_t j = 1; j <= m; j++) {
      int32_t up = row[j];
      if (x[i] == y[j - 1]) row[j] = diagonal + 1;
      else if (row[j - 1] > up) row[j] = row[j - 1];
      diagonal = up;
    }
  }
}

static void output(void) { put("i32", 1, DIMS(ys.dim[0] + 1), row); }
