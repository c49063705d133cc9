-- Many matrices, each turned as a whole: in shared memory where tiles would be half empty, of every width of elements, with rows of an even and an odd number of
-- elements; and those that do not fit there.

def turned [n] [m] [k] 't (at: [n][m][k]t) : [n][k][m]t = map transpose at

-- ==
-- entry: bytes
-- random input { [150][65][65]i8 } auto output
-- random input { [130][33][70]i8 } auto output
entry bytes [n] [m] [k] (at: [n][m][k]i8) = turned at

-- ==
-- entry: shorts
-- random input { [150][65][65]i16 } auto output
-- random input { [128][70][33]i16 } auto output
entry shorts [n] [m] [k] (at: [n][m][k]i16) = turned at

-- ==
-- entry: words
-- random input { [150][65][65]i32 } auto output
-- random input { [140][100][100]i32 } auto output
-- random input { [129][2][1000]i32 } auto output
-- random input { [129][1000][3]i32 } auto output
-- random input { [127][65][65]i32 } auto output
-- random input { [130][64][64]i32 } auto output
entry words [n] [m] [k] (at: [n][m][k]i32) = turned at

-- ==
-- entry: longs
-- random input { [150][65][65]i64 } auto output
-- random input { [130][33][70]i64 } auto output
-- random input { [130][100][100]i64 } auto output
entry longs [n] [m] [k] (at: [n][m][k]i64) = turned at
