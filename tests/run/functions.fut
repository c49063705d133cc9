-- Higher-order functions, recursion and operators.
def compose 'a 'b 'c (f: b -> c) (g: a -> b) (x: a) = f (g x)

def (|*|) (x: i32) (y: i32) = x * y + 1

def fact (n: i64) : i64 = if n <= 1 then 1 else n * fact (n - 1)

def repeat 'a (n: i64) (f: a -> a) (x: a) : a = if n == 0 then x else repeat (n - 1) f (f x)

#[noinline]
def far (x: i32) (ys: []i32) = i32.sum (map (+ x) ys)

-- ==
-- input { 3 [1,2] } output { 16 120i64 24 9 3 }

entry main (x: i32) (ys: []i32) =
  let add k = \z -> z + k
  let fs = {inc = add 1, scale = (* 3)}
  in ( compose (add 4) fs.scale (fs.inc x)
     , fact 5
     , repeat 3 (* 2) x
     , far x ys
     , (x |*| 2 |*| 2) % 4
     )
