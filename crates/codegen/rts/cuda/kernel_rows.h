// Elements in a row for each lane of a warp, which the lanes copy together, and numbers that
// they agree on.

// The greatest of what the lanes give, or 0 if one of them gives no more, or if they are not all here.
SCALAR_FUN int64_t most_of_warp(int64_t x) {
  int32_t most = x < 0 ? 0 : x < 0x7fffffff ? (int32_t)x : 0x7fffffff;
  if (__activemask() != 0xffffffffu || __ballot_sync(0xffffffffu, most == 0) != 0) {
    return 0;
  }
  for (int by = 16; by > 0; by /= 2) {
    int32_t other = __shfl_sync(0xffffffffu, most, (int)threadIdx.x % 32 ^ by);
    most = other > most ? other : most;
  }
  return most;
}

// Each lane has COUNT elements from OFFSET on in MEM, of which it wants those from FROM up to UNTIL, and room for as many
// and one more in TILE, by the number of its thread. Rows are copied in parts of EACH elements, by neighbouring lanes:
// 16 bytes where all lanes have aligned rows, and else one element. Four parts are on their way at a time, for which 64
// registers are enough; with eight, it takes 97.
#define ROWS_AT_ONCE 4
#define READ_ROWS(TYPE, BYTES, COUNT, TILE, MEM, OFFSET, FROM, UNTIL) \
  COPY_ROWS(READ_ROWS_BY, TYPE, BYTES, COUNT, TILE, MEM, OFFSET, FROM, UNTIL)
#define WRITE_ROWS(TYPE, BYTES, COUNT, TILE, MEM, OFFSET, FROM, UNTIL) \
  COPY_ROWS(WRITE_ROWS_BY, TYPE, BYTES, COUNT, TILE, MEM, OFFSET, FROM, UNTIL)
#define COPY_ROWS(BY, TYPE, BYTES, COUNT, TILE, MEM, OFFSET, FROM, UNTIL)                                   \
  do {                                                                                                      \
    int64_t rows_offset = OFFSET;                                                                           \
    int rows_within = (FROM) + ((UNTIL) << 8);                                                              \
    if (__ballot_sync(0xffffffffu, ((size_t)((MEM) + rows_offset) & 15) == 0) == 0xffffffffu) {             \
      BY(TYPE, run_16, 16 / (BYTES), COUNT, TILE, MEM);                                                     \
    } else {                                                                                                \
      BY(TYPE, TYPE, 1, COUNT, TILE, MEM);                                                                  \
    }                                                                                                       \
  } while (0)
// The part of a turn: its row, where it is there, in the tile and in memory, and which elements of the row are wanted.
#define ROWS_PART(EACH, COUNT)                                                                              \
  int rows_part = (rows_turn + rows_next) * 32 + (int)threadIdx.x % 32;                                     \
  int rows_row = rows_part / ((COUNT) / (EACH)), rows_at = rows_part % ((COUNT) / (EACH)) * (EACH);         \
  int rows_in_tile = ((int)threadIdx.x / 32 * 32 + rows_row) * ((COUNT) + 1) + rows_at
#define ROWS_WANTED                                                                                         \
  int64_t rows_there = __shfl_sync(0xffffffffu, rows_offset, rows_row) + rows_at;                           \
  int rows_from = __shfl_sync(0xffffffffu, rows_within, rows_row), rows_until = rows_from >> 8;             \
  rows_from &= 255
#define ROWS_TURNS(EACH, COUNT) ((COUNT) / (EACH) < ROWS_AT_ONCE ? (COUNT) / (EACH) : ROWS_AT_ONCE)
#define READ_ROWS_BY(TYPE, PART, EACH, COUNT, TILE, MEM)                                                    \
  UNROLL_BY(1)                                                                                              \
  for (int rows_turn = 0; rows_turn < (COUNT) / (EACH); rows_turn += ROWS_TURNS(EACH, COUNT)) {             \
    union {                                                                                                 \
      PART part;                                                                                            \
      TYPE elements[EACH];                                                                                  \
    } rows_read[ROWS_TURNS(EACH, COUNT)];                                                                   \
    UNROLL                                                                                                  \
    for (int rows_next = 0; rows_next < ROWS_TURNS(EACH, COUNT); rows_next++) {                             \
      ROWS_PART(EACH, COUNT);                                                                               \
      ROWS_WANTED;                                                                                          \
      (void)rows_in_tile;                                                                                   \
      if (rows_at + (EACH) > rows_from && rows_at < rows_until) {                                           \
        rows_read[rows_next].part = *(const PART *)((MEM) + rows_there);                                    \
      }                                                                                                     \
    }                                                                                                       \
    UNROLL                                                                                                  \
    for (int rows_next = 0; rows_next < ROWS_TURNS(EACH, COUNT); rows_next++) {                             \
      ROWS_PART(EACH, COUNT);                                                                               \
      UNROLL                                                                                                \
      for (int rows_k = 0; rows_k < (EACH); rows_k++) {                                                     \
        (TILE)[rows_in_tile + rows_k] = rows_read[rows_next].elements[rows_k];                              \
      }                                                                                                     \
    }                                                                                                       \
  }
#define WRITE_ROWS_BY(TYPE, PART, EACH, COUNT, TILE, MEM)                                                   \
  UNROLL_BY(1)                                                                                              \
  for (int rows_turn = 0; rows_turn < (COUNT) / (EACH); rows_turn += ROWS_TURNS(EACH, COUNT)) {             \
    UNROLL                                                                                                  \
    for (int rows_next = 0; rows_next < ROWS_TURNS(EACH, COUNT); rows_next++) {                             \
      ROWS_PART(EACH, COUNT);                                                                               \
      ROWS_WANTED;                                                                                          \
      union {                                                                                               \
        PART part;                                                                                          \
        TYPE elements[EACH];                                                                                \
      } rows_written;                                                                                       \
      UNROLL                                                                                                \
      for (int rows_k = 0; rows_k < (EACH); rows_k++) {                                                     \
        rows_written.elements[rows_k] = (TILE)[rows_in_tile + rows_k];                                      \
      }                                                                                                     \
      if (rows_at >= rows_from && rows_at + (EACH) <= rows_until) {                                         \
        *(PART *)((MEM) + rows_there) = rows_written.part;                                                  \
      } else {                                                                                              \
        UNROLL                                                                                              \
        for (int rows_k = 0; rows_k < (EACH); rows_k++) {                                                   \
          if (rows_at + rows_k >= rows_from && rows_at + rows_k < rows_until) {                             \
            (MEM)[rows_there + rows_k] = rows_written.elements[rows_k];                                     \
          }                                                                                                 \
        }                                                                                                   \
      }                                                                                                     \
    }                                                                                                       \
  }
