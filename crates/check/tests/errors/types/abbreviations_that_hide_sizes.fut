type~ row = []f32
type~ bag 'a = {items: []a, weight: i32}
type~ rows [n] = [n][]f32
type~ square = ?[n].[n][n]f32
type mat [n] [m] = [n][m]f32

def of_row (x: row) : i32 = x
def of_bag (x: bag u8) : i32 = x
def of_rows [n] (x: rows [n]) : i32 = x
def of_square (x: square) : i32 = x
def part_of_square (x: square) : i32 = x[0:2]
def of_mat [n] [m] (x: mat [n] [m]) : i32 = x
def of_function (f: row -> row) : i32 = f
def sizes (x: row) (y: row) = map2 (+) x y
-- ==>
-- error: Function body does not have expected type.
--        Expected: i32
--        Actual:   row
--        Types "i32" and "row" do not match.
--  --> types/abbreviations_that_hide_sizes.fut:7:29-30
--   |
-- 7 | def of_row (x: row) : i32 = x
--   |                             ^
--   |
--   = note: type~ row = []f32
--
-- error: Function body does not have expected type.
--        Expected: i32
--        Actual:   bag u8
--        Types "i32" and "bag u8" do not match.
--  --> types/abbreviations_that_hide_sizes.fut:8:32-33
--   |
-- 8 | def of_bag (x: bag u8) : i32 = x
--   |                                ^
--   |
--   = note: type~ bag 'a = {items: []a, weight: i32}
--
-- error: Function body does not have expected type.
--        Expected: i32
--        Actual:   rows [n]
--        Types "i32" and "rows [n]" do not match.
--  --> types/abbreviations_that_hide_sizes.fut:9:39-40
--   |
-- 9 | def of_rows [n] (x: rows [n]) : i32 = x
--   |                                       ^
--   |
--   = note: type~ rows [n1] = [n1][]f32
--
-- error: Function body does not have expected type.
--        Expected: i32
--        Actual:   square
--        Types "i32" and "square" do not match.
--   --> types/abbreviations_that_hide_sizes.fut:10:35-36
--    |
-- 10 | def of_square (x: square) : i32 = x
--    |                                   ^
--    |
--    = note: type~ square = ?[n].[n][n]f32
--
-- error: Function body does not have expected type.
--        Expected: i32
--        Actual:   [][]f32
--        Types "i32" and "[][]f32" do not match.
--   --> types/abbreviations_that_hide_sizes.fut:11:40-46
--    |
-- 11 | def part_of_square (x: square) : i32 = x[0:2]
--    |                                        ^^^^^^
--
-- error: Function body does not have expected type.
--        Expected: i32
--        Actual:   mat [n] [m]
--        Types "i32" and "mat [n] [m]" do not match.
--   --> types/abbreviations_that_hide_sizes.fut:12:45-46
--    |
-- 12 | def of_mat [n] [m] (x: mat [n] [m]) : i32 = x
--    |                                             ^
--    |
--    = note: type mat [n1] [m1] = [n1][m1]f32
--
-- error: Function body does not have expected type.
--        Expected: i32
--        Actual:   row -> row
--        Types "i32" and "row -> row" do not match.
--   --> types/abbreviations_that_hide_sizes.fut:13:41-42
--    |
-- 13 | def of_function (f: row -> row) : i32 = f
--    |                                         ^
--    |
--    = note: type~ row = []f32
