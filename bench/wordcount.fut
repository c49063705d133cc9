-- For each line of a text, the number of words and the length of the longest. Characters are small numbers; 0 is a space.
--
-- Parallelism: a map over lines of different lengths, each a reduction whose operator does not commute: an irregular nest.
-- ==
-- "tiny" input { [5i64, 0i64, 3i64] [1i8, 2i8, 0i8, 3i8, 0i8, 0i8, 4i8, 5i8] } output { [2i64, 0i64, 1i64] [2i64, 0i64, 2i64] }
-- "none" input { empty([0]i64) empty([0]i8) } output { empty([0]i64) empty([0]i64) }
-- "small" input @ data/wordcount/small.in
-- output @ data/wordcount/small.out

-- A stretch of text: its length, the lengths of the words at its two ends, the whole words in between, and the longest of all.
type stretch = {length: i64, first: i64, last: i64, words: i64, longest: i64}

def join (a: stretch) (b: stretch) : stretch =
  let middle = a.last + b.first
  let (whole_a, whole_b) = (a.first == a.length, b.first == b.length)
  in { length = a.length + b.length
     , first = if whole_a then a.length + b.first else a.first
     , last = if whole_b then a.last + b.length else b.last
     , words = a.words + b.words + i64.bool (!whole_a && !whole_b && middle > 0)
     , longest = i64.max middle (i64.max a.longest b.longest)
     }

def character (c: i8) : stretch =
  let n = i64.bool (c != 0) in {length = 1, first = n, last = n, words = 0, longest = n}

def main [lines] [characters] (sizes: [lines]i64) (text: [characters]i8) : ([lines]i64, [lines]i64) =
  let ends = scan (+) 0 sizes
  let none = {length = 0, first = 0, last = 0, words = 0, longest = 0}
  in unzip (map2 (\size end ->
                    let all = reduce join none (map (\i -> character text[i]) ((end - size)..<end))
                    let at_ends =
                      if all.first == all.length
                      then i64.bool (all.length > 0)
                      else i64.bool (all.first > 0) + i64.bool (all.last > 0)
                    in (all.words + at_ends, all.longest))
                 sizes ends)
