// Copies, for one width of elements.

// A block of 256 threads moves square tiles through shared memory, so many rows at a time.
#define TRANSPOSE_TILE 64
#define TRANSPOSE_ROWS (256 / TRANSPOSE_TILE)
#define TRANSPOSE_ROUNDS (TRANSPOSE_TILE / TRANSPOSE_ROWS)

#define COPY_BLOCK 256
#define COPY_PER_THREAD 4
#define COPY_WHOLE_BYTES 40960
#define COPY_WHOLE_BLOCK 512

#define TRANSPOSE_ROUND(CONDITION, MOVE)                   \
  UNROLL                                                   \
  for (int i = 0; i < TRANSPOSE_ROUNDS; i++) {             \
    int k = ly + i * TRANSPOSE_ROWS;                       \
    if (CONDITION) {                                       \
      MOVE;                                                \
    }                                                      \
  }

// What is left of a place is less than the outermost dimension: nothing is to be divided there.
#define COPY_STEP(K, QUOTIENT)                             \
  if (rank > K) {                                          \
    int64_t q = rank > K + 1 ? QUOTIENT(K) : 0, r = rest - q * n##K; \
    to += r * d##K;                                        \
    from += r * s##K;                                      \
    rest = q;                                              \
  }
#define COPY_QUOTIENT(K) squot64(rest, n##K)

// Divides by multiplication: the reciprocal is 2^64 divided by the divisor, rounded up, which is exact for 32 bits.
SCALAR_FUN uint32_t divided_by_reciprocal(uint32_t x, uint64_t reciprocal) {
  return (uint32_t)((x * (reciprocal >> 32) + ((x * (reciprocal & 0xffffffff)) >> 32)) >> 32);
}
#define COPY_SHORT_QUOTIENT(K) divided_by_reciprocal((uint32_t)rest, (uint64_t)c##K)

// All elements of a thread are read before the first is written: so much is on its way at a time.
#define COPY_ELEMENTS(T, QUOTIENT)                                                                              \
  int64_t place[COPY_PER_THREAD];                                                                               \
  T element[COPY_PER_THREAD];                                                                                   \
  int64_t first = BLOCK_ID * COPY_PER_THREAD * BLOCK_SIZE + LOCAL_ID;                                           \
  UNROLL                                                                                                        \
  for (int k = 0; k < COPY_PER_THREAD; k++) {                                                                   \
    int64_t rest = first + k * BLOCK_SIZE, to = dst_at, from = src_at;                                          \
    if (rest < total) {                                                                                         \
      COPY_STEP(0, QUOTIENT)                                                                                    \
      COPY_STEP(1, QUOTIENT)                                                                                    \
      COPY_STEP(2, QUOTIENT)                                                                                    \
      COPY_STEP(3, QUOTIENT)                                                                                    \
      COPY_STEP(4, QUOTIENT)                                                                                    \
      COPY_STEP(5, QUOTIENT)                                                                                    \
      COPY_STEP(6, QUOTIENT)                                                                                    \
      COPY_STEP(7, QUOTIENT)                                                                                    \
      place[k] = to;                                                                                            \
      element[k] = src[from];                                                                                   \
    }                                                                                                           \
  }                                                                                                             \
  UNROLL                                                                                                        \
  for (int k = 0; k < COPY_PER_THREAD; k++) {                                                                   \
    if (first + k * BLOCK_SIZE < total) {                                                                       \
      dst[place[k]] = element[k];                                                                               \
    }                                                                                                           \
  }

// Places in shared memory, so that elements which are a power of two apart are in different banks.
#define PADDED(I) ((I) + (I) / 32)

// Matrices of the second kernel are turned several at a time; of the third one at a time, in rows of an odd number of elements, so that those of a
// column are in different banks.
#define COPY_KERNELS(W, T)                                                                                      \
  KERNEL copy_elements_w##W(GLOBAL T *RESTRICT dst, int64_t dst_at, GLOBAL const T *RESTRICT src, int64_t src_at, int64_t total,   \
                           int32_t rank, int64_t n0, int64_t d0, int64_t s0, int64_t n1, int64_t d1, int64_t s1, \
                           int64_t n2, int64_t d2, int64_t s2, int64_t n3, int64_t d3, int64_t s3, int64_t n4,   \
                           int64_t d4, int64_t s4, int64_t n5, int64_t d5, int64_t s5, int64_t n6, int64_t d6,   \
                           int64_t s6, int64_t n7, int64_t d7, int64_t s7, int64_t c0, int64_t c1, int64_t c2,             \
                           int64_t c3, int64_t c4, int64_t c5, int64_t c6, int64_t c7) {                        \
    if (total >> 32 == 0) {                                                                                     \
      COPY_ELEMENTS(T, COPY_SHORT_QUOTIENT)                                                                     \
    } else {                                                                                                    \
      COPY_ELEMENTS(T, COPY_QUOTIENT)                                                                           \
    }                                                                                                           \
  }                                                                                                             \
  KERNEL copy_matrices_w##W(GLOBAL T *RESTRICT dst, int64_t dst_at, GLOBAL const T *RESTRICT src, int64_t src_at, int64_t total,   \
                           int32_t whole, int32_t n, int32_t m, int64_t by_matrix, int64_t by_m) {              \
    SHARED_ARRAY(T, tile, PADDED(COPY_BLOCK * COPY_PER_THREAD));                                                \
    int64_t first = BLOCK_ID * whole;                                                                           \
    int count = total - first < whole ? (int)(total - first) : whole;                                           \
    UNROLL                                                                                                      \
    for (int k = 0; k < COPY_PER_THREAD; k++) {                                                                 \
      int i = k * COPY_BLOCK + (int)LOCAL_ID;                                                                   \
      if (i < count) {                                                                                          \
        tile[PADDED(i)] = src[src_at + first + i];                                                              \
      }                                                                                                         \
    }                                                                                                           \
    BARRIER();                                                                                                  \
    UNROLL                                                                                                      \
    for (int k = 0; k < COPY_PER_THREAD; k++) {                                                                 \
      int i = k * COPY_BLOCK + (int)LOCAL_ID;                                                                   \
      if (i < count) {                                                                                          \
        int start = (int)divided_by_reciprocal((uint32_t)i, (uint64_t)by_matrix) * n * m, rest = i - start;     \
        int row = (int)divided_by_reciprocal((uint32_t)rest, (uint64_t)by_m);                                   \
        int from = start + (rest - row * m) * n + row;                                                          \
        dst[dst_at + first + i] = tile[PADDED(from)];                                                           \
      }                                                                                                         \
    }                                                                                                           \
  }                                                                                                             \
  KERNEL copy_whole_w##W(GLOBAL T *RESTRICT dst, int64_t dst_at, GLOBAL const T *RESTRICT src, int64_t src_at, int32_t n, int32_t m,\
                        int64_t by_n, int64_t by_m) {                                                           \
    SHARED_ARRAY(T, tile, COPY_WHOLE_BYTES / W);                                                                \
    int elements = n * m, longer = 1 - n % 2;                                                                   \
    int64_t first = BLOCK_ID * elements;                                                                        \
    for (int start = (int)LOCAL_ID; start < elements; start += COPY_PER_THREAD * COPY_WHOLE_BLOCK) {            \
      T element[COPY_PER_THREAD];                                                                               \
      UNROLL                                                                                                    \
      for (int k = 0; k < COPY_PER_THREAD; k++) {                                                               \
        int i = start + k * COPY_WHOLE_BLOCK;                                                                   \
        if (i < elements) {                                                                                     \
          element[k] = src[src_at + first + i];                                                                 \
        }                                                                                                       \
      }                                                                                                         \
      UNROLL                                                                                                    \
      for (int k = 0; k < COPY_PER_THREAD; k++) {                                                               \
        int i = start + k * COPY_WHOLE_BLOCK;                                                                   \
        if (i < elements) {                                                                                     \
          tile[i + (int)divided_by_reciprocal((uint32_t)i, (uint64_t)by_n) * longer] = element[k];              \
        }                                                                                                       \
      }                                                                                                         \
    }                                                                                                           \
    BARRIER();                                                                                                  \
    UNROLL                                                                                                      \
    for (int i = (int)LOCAL_ID; i < elements; i += COPY_WHOLE_BLOCK) {                                          \
      int row = (int)divided_by_reciprocal((uint32_t)i, (uint64_t)by_m);                                        \
      dst[dst_at + first + i] = tile[(i - row * m) * (n + longer) + row];                                       \
    }                                                                                                           \
  }                                                                                                             \
  KERNEL copy_transposed_w##W(GLOBAL T *RESTRICT dst, int64_t dst_at, GLOBAL const T *RESTRICT src, int64_t src_at, int64_t n,     \
                             int64_t dst_n, int64_t m, int64_t src_m, int64_t tiles, int32_t rank, int64_t n0, int64_t d0,    \
                             int64_t s0, int64_t n1, int64_t d1, int64_t s1, int64_t n2, int64_t d2, int64_t s2, \
                             int64_t n3, int64_t d3, int64_t s3, int64_t n4, int64_t d4, int64_t s4, int64_t n5, \
                             int64_t d5, int64_t s5) {                                                          \
    SHARED_ARRAY(T, tile, TRANSPOSE_TILE * (TRANSPOSE_TILE + 1));                                               \
    int64_t tiles_n = (n + TRANSPOSE_TILE - 1) / TRANSPOSE_TILE, tiles_m = (m + TRANSPOSE_TILE - 1) / TRANSPOSE_TILE; \
    int lx = (int)LOCAL_ID % TRANSPOSE_TILE, ly = (int)LOCAL_ID / TRANSPOSE_TILE;                               \
    for (int64_t t = BLOCK_ID; t < tiles; t += GRID_SIZE) {                                                     \
      int64_t rest = squot64(t, tiles_n), x = (t - rest * tiles_n) * TRANSPOSE_TILE;                            \
      int64_t outer = squot64(rest, tiles_m), y = (rest - outer * tiles_m) * TRANSPOSE_TILE;                    \
      int64_t to = dst_at, from = src_at;                                                                       \
      rest = outer;                                                                                             \
      COPY_STEP(0, COPY_QUOTIENT)                                                                                              \
      COPY_STEP(1, COPY_QUOTIENT)                                                                                              \
      COPY_STEP(2, COPY_QUOTIENT)                                                                                              \
      COPY_STEP(3, COPY_QUOTIENT)                                                                                              \
      COPY_STEP(4, COPY_QUOTIENT)                                                                                              \
      COPY_STEP(5, COPY_QUOTIENT)                                                                                              \
      if (x + TRANSPOSE_TILE <= n && y + TRANSPOSE_TILE <= m) {                                                 \
        TRANSPOSE_ROUND(true, tile[k * (TRANSPOSE_TILE + 1) + lx] = src[from + x + lx + (y + k) * src_m])       \
        BARRIER();                                                                                              \
        TRANSPOSE_ROUND(true, dst[to + (x + k) * dst_n + y + lx] = tile[lx * (TRANSPOSE_TILE + 1) + k])         \
      } else {                                                                                                  \
        TRANSPOSE_ROUND(x + lx < n && y + k < m,                                                                \
                        tile[k * (TRANSPOSE_TILE + 1) + lx] = src[from + x + lx + (y + k) * src_m])             \
        BARRIER();                                                                                              \
        TRANSPOSE_ROUND(x + k < n && y + lx < m,                                                                \
                        dst[to + (x + k) * dst_n + y + lx] = tile[lx * (TRANSPOSE_TILE + 1) + k])               \
      }                                                                                                         \
      BARRIER();                                                                                                \
    }                                                                                                           \
  }
