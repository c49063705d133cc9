// Start of copies.h: large copies are done by all workers.

// Bytes of a piece, of which each worker takes several.
#define COPY_PIECE_BYTES (1 << 16)

typedef void (*copy_fun)(void *dst, const struct copy_dim *dims, const void *src, int rank);

struct copy_args {
  copy_fun fun;
  char *dst;
  const char *src;
  const struct copy_dim *dims;
  int rank;
  // The dimension that is split, into so many pieces.
  int split;
  int64_t pieces;
  int64_t width;
};

// Pieces begin at multiples of a tile, so that transpositions have whole tiles.
RTS_FUN int64_t copy_start(const struct copy_args *args, int64_t piece) {
  int64_t n = args->dims[args->split].n;
  int64_t tiles = (n + COPY_TILE - 1) / COPY_TILE;
  int64_t at = tiles * piece / args->pieces * COPY_TILE;
  return at < n ? at : n;
}

static int copy_pieces(struct futhark_context *ctx, void *env, int64_t start, int64_t end, int64_t chunk) {
  const struct copy_args *args = env;
  struct copy_dim dims[MAX_COPY_RANK];
  (void)ctx;
  (void)chunk;
  memcpy(dims, args->dims, (size_t)args->rank * sizeof dims[0]);
  struct copy_dim *split = &dims[args->split];
  int64_t first = copy_start(args, start);
  split->n = copy_start(args, end) - first;
  if (split->n > 0) {
    args->fun(args->dst + first * split->dst * args->width, dims, args->src + first * split->src * args->width,
              args->rank);
  }
  return FUTHARK_SUCCESS;
}

static struct site copy_pieces_site;

// Whether it was done: a small copy is not worth a task.
static bool copy_in_parts(struct futhark_context *ctx, copy_fun fun, void *dst, const struct copy_dim *dims,
                          const void *src, int rank, int64_t width) {
  double bytes = (double)width;
  int split = 0;
  for (int i = 0; i < rank; i++) {
    bytes *= (double)dims[i].n;
    split = dims[i].n > dims[split].n ? i : split;
  }
  if (rank == 0 || bytes < LARGE_COPY_BYTES || ctx->scheduler.num_workers == 1) {
    return false;
  }
  // The outermost dimension that is long enough: its pieces are apart in memory.
  for (int i = rank - 1; i >= 0; i--) {
    split = dims[i].n >= (int64_t)COPY_TILE * 4 * ctx->scheduler.num_workers ? i : split;
  }
  int64_t tiles = (dims[split].n + COPY_TILE - 1) / COPY_TILE;
  int64_t pieces = (int64_t)(bytes / COPY_PIECE_BYTES);
  struct copy_args args = {fun, dst, src, dims, rank, split, pieces < tiles ? pieces : tiles, width};
  return par_for(ctx, &copy_pieces_site, copy_pieces, &args, args.pieces, 1) == FUTHARK_SUCCESS;
}

// End of copies.h.
