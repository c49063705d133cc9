def main [n] (rows: *[n][n]i32) = rows with [0] = rows[1]
