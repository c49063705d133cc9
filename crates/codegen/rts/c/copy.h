// Start of copy.h: copies between arrays of any strides.
//
// A copy is first brought into its simplest form: dimensions of one element
// go, and neighbours that lie in one row on both sides become one. What is
// left is a plain copy, a loop over plain copies, a transposition (done in
// tiles), or a loop over elements.

#define MAX_COPY_RANK 32
#define COPY_TILE 16

// A dimension that is left: elements, and how far they are apart.
struct copy_dim {
  int64_t n, dst, src;
};

// Where several threads can do a copy, a back end tries that first.
#ifndef COPY_IN_PARTS
#define COPY_IN_PARTS(ctx, fun, dst, dims, src, rank, width) ((void)(ctx), (void)(fun), (void)(dims), false)
#endif
// Smaller copies need not be asked about.
#define LARGE_COPY_BYTES (1 << 18)

#define COPY_OF_WIDTH(W, T)                                                                                  \
  typedef T MAY_ALIAS element##W;                                                                            \
  /* One dimension. */                                                                                       \
  RTS_FUN void copy_line##W(element##W *dst, int64_t dst_stride, const element##W *src,                      \
                            int64_t src_stride, int64_t n) {                                                 \
    if (dst_stride == 1 && src_stride == 1) {                                                                \
      if (n > 0) {                                                                                           \
        memcpy(dst, src, (size_t)n * sizeof(T));                                                             \
      }                                                                                                      \
    } else {                                                                                                 \
      for (int64_t i = 0; i < n; i++) {                                                                      \
        dst[i * dst_stride] = src[i * src_stride];                                                           \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  /* Two dimensions where the rows of one side are the columns of the other. */                              \
  RTS_FUN void copy_tiles##W(element##W *dst, int64_t dst_outer, int64_t dst_inner,                          \
                             const element##W *src, int64_t src_outer, int64_t src_inner,                    \
                             int64_t n, int64_t m) {                                                         \
    for (int64_t i0 = 0; i0 < n; i0 += COPY_TILE) {                                                          \
      int64_t i1 = i0 + COPY_TILE < n ? i0 + COPY_TILE : n;                                                  \
      for (int64_t j0 = 0; j0 < m; j0 += COPY_TILE) {                                                        \
        int64_t j1 = j0 + COPY_TILE < m ? j0 + COPY_TILE : m;                                                \
        for (int64_t i = i0; i < i1; i++) {                                                                  \
          for (int64_t j = j0; j < j1; j++) {                                                                \
            dst[i * dst_outer + j * dst_inner] = src[i * src_outer + j * src_inner];                         \
          }                                                                                                  \
        }                                                                                                    \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  RTS_FUN void copy_rest##W(element##W *dst, const struct copy_dim *d, const element##W *src,                \
                            int rank) {                                                                      \
    if (rank == 0) {                                                                                         \
      *dst = *src;                                                                                           \
    } else if (rank == 1) {                                                                                  \
      copy_line##W(dst, d[0].dst, src, d[0].src, d[0].n);                                                    \
    } else if (rank == 2 && (d[0].dst == 1 || d[0].src == 1) && d[0].n > 4 && d[1].n > 4) {                  \
      copy_tiles##W(dst, d[0].dst, d[1].dst, src, d[0].src, d[1].src, d[0].n, d[1].n);                       \
    } else {                                                                                                 \
      for (int64_t i = 0; i < d[0].n; i++) {                                                                 \
        copy_rest##W(dst + i * d[0].dst, d + 1, src + i * d[0].src, rank - 1);                               \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  /* The same for any width. */                                                                              \
  static void copy_part##W(void *dst, const struct copy_dim *d, const void *src, int rank) {          \
    copy_rest##W(dst, d, src, rank);                                                                         \
  }                                                                                                          \
  RTS_FUN void copy_row##W(struct futhark_context *ctx, element##W *dst, int64_t dst_stride,                 \
                           const element##W *src, int64_t src_stride, int64_t n) {                           \
    struct copy_dim dim = {n, dst_stride, src_stride};                                                       \
    if (n < LARGE_COPY_BYTES / W || !COPY_IN_PARTS(ctx, copy_part##W, dst, &dim, src, 1, W)) {               \
      copy_line##W(dst, dst_stride, src, src_stride, n);                                                     \
    }                                                                                                        \
  }                                                                                                          \
  /* Any rank: offsets and strides in elements. */                                                           \
  RTS_FUN void copy_array##W(struct futhark_context *ctx, int rank, const int64_t *shape, void *dst_start,   \
                             int64_t dst_offset, const int64_t *dst_strides, const void *src_start,          \
                             int64_t src_offset, const int64_t *src_strides) {                               \
    struct copy_dim dims[MAX_COPY_RANK];                                                                     \
    int left = copy_simplify(dims, rank, shape, dst_strides, src_strides);                                   \
    element##W *dst = (element##W *)dst_start + dst_offset;                                                  \
    const element##W *src = (const element##W *)src_start + src_offset;                                      \
    if (left >= 0 && !COPY_IN_PARTS(ctx, copy_part##W, dst, dims, src, left, W)) {                           \
      copy_rest##W(dst, dims, src, left);                                                                    \
    }                                                                                                        \
  }

// The dimensions that are left, or -1 if there is nothing to copy.
RTS_FUN int copy_simplify(struct copy_dim *dims, int rank, const int64_t *shape, const int64_t *dst_strides,
                          const int64_t *src_strides) {
  int left = 0;
  for (int i = 0; i < rank; i++) {
    if (shape[i] <= 0) {
      return -1;
    }
  }
  for (int i = 0; i < rank; i++) {
    if (shape[i] == 1) {
      continue;
    }
    struct copy_dim dim = {shape[i], dst_strides[i], src_strides[i]};
    if (left > 0 && dims[left - 1].dst == dim.n * dim.dst && dims[left - 1].src == dim.n * dim.src) {
      dim.n *= dims[left - 1].n;
      left--;
    }
    dims[left++] = dim;
  }
  // The two dimensions that are rows of one side or the other go innermost.
  if (left > 2 && dims[left - 1].dst != dims[left - 1].src) {
    for (int i = 0; i < left - 2; i++) {
      if (dims[i].dst == 1 || dims[i].src == 1) {
        struct copy_dim row = dims[i];
        for (int j = i; j < left - 2; j++) {
          dims[j] = dims[j + 1];
        }
        dims[left - 2] = row;
        break;
      }
    }
  }
  return left;
}

COPY_OF_WIDTH(1, uint8_t)
COPY_OF_WIDTH(2, uint16_t)
COPY_OF_WIDTH(4, uint32_t)
COPY_OF_WIDTH(8, uint64_t)

// End of copy.h.
