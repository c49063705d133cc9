// Elements that are a stride apart, as many as the limit says, by one read if they are
// all there, neighbours and aligned.

typedef uint32_t run_4;
typedef uint2 run_8;
typedef uint4 run_16;
#define READ_RUN(BYTES, TYPE, COUNT, TO, FROM, STRIDE, LIMIT)                                               \
  do {                                                                                                      \
    const GLOBAL TYPE *run_from = FROM;                                                                     \
    int64_t run_stride = STRIDE, run_limit = LIMIT;                                                         \
    if (run_limit < COUNT) {                                                                                \
      UNROLL                                                                                                \
      for (int run_at = 0; run_at < COUNT; run_at++) {                                                      \
        if (run_at < run_limit) {                                                                           \
          TO[run_at] = run_from[run_at * run_stride];                                                       \
        }                                                                                                   \
      }                                                                                                     \
    } else if (run_stride == 1 && ((size_t)run_from & (BYTES - 1)) == 0) {                                  \
      union {                                                                                               \
        run_##BYTES word;                                                                                   \
        TYPE elements[COUNT];                                                                               \
      } run_read;                                                                                           \
      run_read.word = *(const GLOBAL run_##BYTES *)run_from;                                                \
      UNROLL                                                                                                \
      for (int run_at = 0; run_at < COUNT; run_at++) {                                                      \
        TO[run_at] = run_read.elements[run_at];                                                             \
      }                                                                                                     \
    } else {                                                                                                \
      UNROLL                                                                                                \
      for (int run_at = 0; run_at < COUNT; run_at++) {                                                      \
        TO[run_at] = run_from[run_at * run_stride];                                                         \
      }                                                                                                     \
    }                                                                                                       \
  } while (0)
// Neighbours by one read: they are all there, and aligned.
#define READ_WHOLE(BYTES, TYPE, COUNT, TO, FROM)                                                            \
  do {                                                                                                      \
    union {                                                                                                 \
      run_##BYTES word;                                                                                     \
      TYPE elements[COUNT];                                                                                 \
    } run_read;                                                                                             \
    run_read.word = *(const GLOBAL run_##BYTES *)(FROM);                                                    \
    UNROLL                                                                                                  \
    for (int run_at = 0; run_at < COUNT; run_at++) {                                                        \
      TO[run_at] = run_read.elements[run_at];                                                               \
    }                                                                                                       \
  } while (0)
