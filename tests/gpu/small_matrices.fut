-- Batches of small matrices are transposed by copies that turn several of them in shared memory at a time: of all sizes of elements, with batches
-- that leave a block partly filled, of one row, and of sizes at which a block has room for one matrix, or for none.
-- ==
-- entry: bytes
-- script input { (of_bytes 700i64 3i64 5i64) } auto output
-- script input { (of_bytes 1025i64 2i64 2i64) } auto output

-- ==
-- entry: shorts
-- script input { (of_shorts 301i64 10i64 16i64) } auto output

-- ==
-- entry: words
-- script input { (of_words 77i64 31i64 33i64) } auto output
-- script input { (of_words 77i64 32i64 32i64) } auto output
-- script input { (of_words 20i64 32i64 33i64) } auto output
-- script input { (of_words 1i64 7i64 9i64) } auto output
-- script input { (of_words 300i64 1i64 9i64) } auto output
-- script input { (of_words 300i64 9i64 1i64) } auto output
-- script input { (of_words 0i64 3i64 4i64) } auto output

-- ==
-- entry: doubles
-- script input { (of_doubles 123i64 16i64 64i64) } auto output
-- script input { (of_doubles 1000i64 4i64 3i64) } auto output

-- ==
-- entry: parts
-- script input { (of_words 100i64 6i64 8i64) } auto output

def made 't (f: i64 -> t) (k: i64) (n: i64) (m: i64) : [k][n][m]t =
  tabulate_3d k n m (\a b c -> f ((a * n + b) * m + c))

entry of_bytes = made i8.i64
entry of_shorts = made i16.i64
entry of_words = made i32.i64
entry of_doubles = made f64.i64

entry bytes [k][n][m] (xsss: [k][n][m]i8) = map transpose xsss
entry shorts [k][n][m] (xsss: [k][n][m]i16) = map transpose xsss
entry words [k][n][m] (xsss: [k][n][m]i32) = map transpose xsss
entry doubles [k][n][m] (xsss: [k][n][m]f64) = map transpose xsss

-- Matrices that have others between them.
entry parts [k][n][m] (xsss: [k][n][m]i32) = map transpose xsss[::2]
