// Copies, for one width of elements.

// A block of 256 threads moves square tiles through shared memory, so many rows at a time.
#define TRANSPOSE_TILE 64
#define TRANSPOSE_ROWS (256 / TRANSPOSE_TILE)
#define TRANSPOSE_ROUNDS (TRANSPOSE_TILE / TRANSPOSE_ROWS)

#define TRANSPOSE_ROUND(CONDITION, MOVE)                   \
  UNROLL                                                   \
  for (int i = 0; i < TRANSPOSE_ROUNDS; i++) {             \
    int k = ly + i * TRANSPOSE_ROWS;                       \
    if (CONDITION) {                                       \
      MOVE;                                                \
    }                                                      \
  }

#define COPY_STEP(K)                                       \
  if (rank > K) {                                          \
    int64_t q = QUOTIENT64(rest, n##K), r = rest - q * n##K; \
    to += r * d##K;                                        \
    from += r * s##K;                                      \
    rest = q;                                              \
  }

#define COPY_KERNELS(W, T)                                                                                      \
  KERNEL copy_elements_w##W(GLOBAL T *RESTRICT dst, int64_t dst_at, GLOBAL const T *RESTRICT src, int64_t src_at, int64_t total,   \
                           int32_t rank, int64_t n0, int64_t d0, int64_t s0, int64_t n1, int64_t d1, int64_t s1, \
                           int64_t n2, int64_t d2, int64_t s2, int64_t n3, int64_t d3, int64_t s3, int64_t n4,   \
                           int64_t d4, int64_t s4, int64_t n5, int64_t d5, int64_t s5, int64_t n6, int64_t d6,   \
                           int64_t s6, int64_t n7, int64_t d7, int64_t s7) {                                    \
    for (int k = 0; k < 4; k++) {                                                                               \
      int64_t i = (BLOCK_ID * 4 + k) * BLOCK_SIZE + LOCAL_ID;                                                   \
      if (i < total) {                                                                                          \
        int64_t rest = i, to = dst_at, from = src_at;                                                           \
        COPY_STEP(0)                                                                                            \
        COPY_STEP(1)                                                                                            \
        COPY_STEP(2)                                                                                            \
        COPY_STEP(3)                                                                                            \
        COPY_STEP(4)                                                                                            \
        COPY_STEP(5)                                                                                            \
        COPY_STEP(6)                                                                                            \
        COPY_STEP(7)                                                                                            \
        dst[to] = src[from];                                                                                    \
      }                                                                                                         \
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
      int64_t rest = QUOTIENT64(t, tiles_n), x = (t - rest * tiles_n) * TRANSPOSE_TILE;                         \
      int64_t outer = QUOTIENT64(rest, tiles_m), y = (rest - outer * tiles_m) * TRANSPOSE_TILE;                 \
      int64_t to = dst_at, from = src_at;                                                                       \
      rest = outer;                                                                                             \
      COPY_STEP(0)                                                                                              \
      COPY_STEP(1)                                                                                              \
      COPY_STEP(2)                                                                                              \
      COPY_STEP(3)                                                                                              \
      COPY_STEP(4)                                                                                              \
      COPY_STEP(5)                                                                                              \
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
