/* What every hand-written program here shares: reading Futhark values from standard input (text or binary),
 * writing them to standard output, and timing. A program defines three functions:
 *
 *   input()    reads its arguments with get() and allocates its results
 *   compute()  the timed part; must leave the arguments as they were, for it runs many times
 *   output()   writes the results with put()
 *
 * The executable then takes the same options as a compiled Futhark program: -b (binary output), -r N (runs),
 * -t FILE (one time a line, in microseconds), -n (no output), -e ENTRY (accepted and passed on in `entry`). */
#ifndef FUT_H
#define FUT_H

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
  int rank;
  int64_t dim[8];
  int64_t count;
  void *data;
} Value;

static void input(void);
static void compute(void);
static void output(void);

static const char *entry = "main";
static char *text, *text_end;
static bool binary_output = false, no_output = false;

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "%s%s\n", what, detail);
  exit(1);
}

static void *allocate(int64_t count, size_t size) {
  size_t bytes = count > 0 ? (size_t)count * size : 1;
  void *p = calloc(bytes, 1);
  if (p == NULL) fail("out of memory", "");
  return p;
}

#define ALLOC(type, count) ((type *)allocate((count), sizeof(type)))

static int type_size(const char *type) {
  static const char *names[] = {"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "bool"};
  static const int sizes[] = {1, 2, 4, 8, 1, 2, 4, 8, 4, 8, 1};
  for (int i = 0; i < 11; i++)
    if (strcmp(type, names[i]) == 0) return sizes[i];
  fail("unknown type ", type);
  return 0;
}

static void skip_space(void) {
  while (text < text_end) {
    if (isspace((unsigned char)*text)) text++;
    else if (text + 1 < text_end && text[0] == '-' && text[1] == '-')
      while (text < text_end && *text != '\n') text++;
    else break;
  }
}

static bool skip_char(char c) {
  skip_space();
  if (text < text_end && *text == c) { text++; return true; }
  return false;
}

/* One number or truth value in text form, stored as `type` at `at`. */
static void text_scalar(const char *type, char *at) {
  skip_space();
  char word[80];
  int n = 0;
  while (text < text_end && n < 79 && (isalnum((unsigned char)*text) || strchr("+-._", *text))) word[n++] = *text++;
  word[n] = 0;
  if (n == 0) fail("expected a value of type ", type);
  /* Suffixes need no care: the number readers stop at them. Only f32.inf and its kin are peculiar. */
  bool negative = strncmp(word, "-f", 2) == 0;
  bool special = negative || word[0] == 'f';
  char *start = special && strchr(word, '.') != NULL ? strchr(word, '.') + 1 : word;
  if (strcmp(type, "f32") == 0) {
    float x = strtof(start, NULL);
    *(float *)at = negative ? -x : x;
  } else if (strcmp(type, "f64") == 0) {
    double x = strtod(start, NULL);
    *(double *)at = negative ? -x : x;
  } else if (strcmp(type, "bool") == 0) {
    *at = strcmp(word, "true") == 0;
  } else {
    int64_t x = word[0] == '-' ? strtoll(word, NULL, 0) : (int64_t)strtoull(word, NULL, 0);
    memcpy(at, &x, type_size(type)); /* little endian */
  }
}

static void text_array(const char *type, Value *v, int depth, int64_t *capacity) {
  int size = type_size(type);
  if (depth == v->rank) {
    if (v->count == *capacity) {
      *capacity = *capacity * 2 + 64;
      v->data = realloc(v->data, *capacity * size);
      if (v->data == NULL) fail("out of memory", "");
    }
    text_scalar(type, (char *)v->data + v->count++ * size);
    return;
  }
  if (!skip_char('[')) fail("expected an array of type ", type);
  int64_t n = 0;
  while (!skip_char(']')) {
    text_array(type, v, depth + 1, capacity);
    n++;
    skip_char(',');
  }
  v->dim[depth] = n;
}

/* The next argument, which must have this element type and rank. */
static Value get(const char *type, int rank) {
  Value v = {.rank = rank};
  int size = type_size(type);
  skip_space();
  if (text < text_end && *text == 'b' && text + 1 < text_end && text[1] == 2) {
    if (text[2] != rank) fail("wrong rank for an argument of type ", type);
    char got[5] = {0};
    memcpy(got, text + 3, 4);
    if (strcmp(got + strspn(got, " "), type) != 0) fail("wrong type, expected ", type);
    text += 7;
    v.count = 1;
    for (int i = 0; i < rank; i++) {
      memcpy(&v.dim[i], text, 8);
      text += 8;
      v.count *= v.dim[i];
    }
    v.data = allocate(v.count, size);
    if (text_end - text < v.count * size) fail("the input ends inside a value of type ", type);
    memcpy(v.data, text, v.count * size);
    text += v.count * size;
  } else {
    int64_t capacity = 0;
    text_array(type, &v, 0, &capacity);
  }
  return v;
}

static int32_t get_i32(void) { return *(int32_t *)get("i32", 0).data; }
static int64_t get_i64(void) { return *(int64_t *)get("i64", 0).data; }
static float get_f32(void) { return *(float *)get("f32", 0).data; }

static void put_scalar(const char *type, const char *at) {
  int size = type_size(type);
  if (strcmp(type, "f32") == 0 || strcmp(type, "f64") == 0) {
    double x = size == 4 ? *(const float *)at : *(const double *)at;
    if (isnan(x)) printf("%s.nan", type);
    else if (isinf(x)) printf("%s%s.inf", x < 0 ? "-" : "", type);
    else printf(size == 4 ? "%.9g%s" : "%.17g%s", x, type);
  } else if (strcmp(type, "bool") == 0) {
    printf("%s", *at ? "true" : "false");
  } else {
    uint64_t u = 0;
    memcpy(&u, at, size);
    if (type[0] == 'u') printf("%" PRIu64 "%s", u, type);
    else printf("%" PRId64 "%s", (int64_t)(u << (64 - 8 * size)) >> (64 - 8 * size), type);
  }
}

static const char *put_level(const char *type, int rank, const int64_t *dim, const char *at) {
  if (rank == 0) {
    put_scalar(type, at);
    return at + type_size(type);
  }
  printf("[");
  for (int64_t i = 0; i < dim[0]; i++) {
    if (i > 0) printf(", ");
    at = put_level(type, rank - 1, dim + 1, at);
  }
  printf("]");
  return at;
}

/* Write one result. */
static void put(const char *type, int rank, const int64_t *dim, const void *data) {
  int64_t count = 1;
  for (int i = 0; i < rank; i++) count *= dim[i];
  if (binary_output) {
    fwrite("b\2", 1, 2, stdout);
    fputc(rank, stdout);
    fprintf(stdout, "%4s", type);
    for (int i = 0; i < rank; i++) fwrite(&dim[i], 8, 1, stdout);
    fwrite(data, type_size(type), count, stdout);
  } else if (count == 0) {
    printf("empty(");
    for (int i = 0; i < rank; i++) printf("[%" PRId64 "]", dim[i]);
    printf("%s)\n", type);
  } else {
    put_level(type, rank, dim, data);
    printf("\n");
  }
}

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

static void slurp(void) {
  size_t used = 0, size = 1 << 16;
  char *p = malloc(size);
  for (;;) {
    if (p == NULL) fail("out of memory", "");
    size_t got = fread(p + used, 1, size - used, stdin);
    used += got;
    if (got == 0) break;
    if (used == size) p = realloc(p, size *= 2);
  }
  text = p;
  text_end = p + used;
}

int main(int argc, char **argv) {
  int runs = 1;
  FILE *times = NULL;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-b") == 0) binary_output = true;
    else if (strcmp(argv[i], "-n") == 0) no_output = true;
    else if (strcmp(argv[i], "-r") == 0 && i + 1 < argc) runs = atoi(argv[++i]);
    else if (strcmp(argv[i], "-e") == 0 && i + 1 < argc) entry = argv[++i];
    else if (strcmp(argv[i], "-t") == 0 && i + 1 < argc) {
      times = fopen(argv[++i], "w");
      if (times == NULL) fail("cannot write ", argv[i]);
    } else fail("unknown option ", argv[i]);
  }
  slurp();
  input();
  if (runs > 1) compute(); /* the first run pays for page faults */
  for (int i = 0; i < runs; i++) {
    double start = now_us();
    compute();
    double us = now_us() - start;
    if (times != NULL) fprintf(times, "%.0f\n", us);
  }
  if (times != NULL) fclose(times);
  if (!no_output) output();
  (void)get_i32, (void)get_i64, (void)get_f32;
  return 0;
}

#endif
