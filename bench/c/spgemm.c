/* The product of two sparse matrices, row by row: how many elements each row has, and the sum of their squares. */
#include "fut.h"

static Value sizes, column, value, sizes2, column2, value2;
static int64_t *starts2, *counts, *mark;
static int32_t *touched;
static float *sums, *squares;

static void input(void) {
  sizes = get("i64", 1);
  column = get("i32", 1);
  value = get("f32", 1);
  sizes2 = get("i64", 1);
  column2 = get("i32", 1);
  value2 = get("f32", 1);
  int64_t columns = 0;
  const int32_t *c = column2.data;
  for (int64_t i = 0; i < column2.count; i++)
    if (c[i] >= columns) columns = c[i] + 1;
  starts2 = ALLOC(int64_t, sizes2.count + 1);
  mark = ALLOC(int64_t, columns);
  touched = ALLOC(int32_t, columns);
  sums = ALLOC(float, columns);
  counts = ALLOC(int64_t, sizes.count);
  squares = ALLOC(float, sizes.count);
}

static void compute(void) {
  const int64_t *n = sizes.data, *n2 = sizes2.data;
  const int32_t *c = column.data, *c2 = column2.data;
  const float *v = value.data, *v2 = value2.data;
  for (int64_t k = 0; k < sizes2.count; k++) starts2[k + 1] = starts2[k] + n2[k];
  int64_t at = 0;
  for (int64_t r = 0; r < sizes.count; r++) {
    int64_t found = 0;
    for (int64_t end = at + n[r]; at < end; at++)
      for (int64_t j = starts2[c[at]]; j < starts2[c[at] + 1]; j++) {
        int32_t to = c2[j];
        if (mark[to] != r + 1) {
          mark[to] = r + 1;
          sums[to] = 0;
          touched[found++] = to;
        }
        sums[to] += v[at] * v2[j];
      }
    float square = 0;
    for (int64_t i = 0; i < found; i++) {
      square += sums[touched[i]] * sums[touched[i]];
      mark[touched[i]] = 0;
    }
    counts[r] = found;
    squares[r] = square;
  }
}

static void output(void) {
  put("i64", 1, DIMS(sizes.count), counts);
  put("f32", 1, DIMS(sizes.count), squares);
}
