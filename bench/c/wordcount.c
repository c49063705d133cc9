/* For each line of a text, the number of words and the length of the longest. */
#include "fut.h"

static Value sizes, text_of_lines;
static int64_t *words, *longest;

static void input(void) {
  sizes = get("i64", 1);
  text_of_lines = get("i8", 1);
  words = ALLOC(int64_t, sizes.count);
  longest = ALLOC(int64_t, sizes.count);
}

static void compute(void) {
  const int64_t *n = sizes.data;
  const int8_t *c = text_of_lines.data;
  for (int64_t r = 0; r < sizes.count; r++) {
    int64_t count = 0, most = 0, length = 0;
    for (int64_t i = 0; i < n[r]; i++) {
      length = c[i] == 0 ? 0 : length + 1;
      count += length == 1;
      most = length > most ? length : most;
    }
    words[r] = count;
    longest[r] = most;
    c += n[r];
  }
}

static void output(void) {
  put("i64", 1, DIMS(sizes.count), words);
  put("i64", 1, DIMS(sizes.count), longest);
}
