-- Higher-order functions, sections, operators of one's own, local functions.

def (|>>) 'a 'b 'c (f: a -> b) (g: b -> c) (x: a) : c = g (f x)
def (**.) (x: f32) (k: i32) : f32 = loop acc = 1 for _i < k do acc * x
def twice 'a (f: a -> a) : a -> a = f >-> f

def compose_all (x: i32) : i32 =
  let inc = (+ 1)
  let dbl = (2 *)
  let chain = inc |>> dbl |>> (\y -> y - 3)
  in x |> chain |> twice inc

def fields (ps: []{x: f32, y: {a: f32, b: i32}}) : []f32 =
  map (.y.a) ps

def diag [n] (m: [n][n]f32) : [n]f32 =
  map (\i -> m[i, i]) (iota n)

def pick [n] 't (m: [n][n]t) (k: i64) : [n]t = map (.[k]) m

def polynomial (x: f32) : f32 =
  let sq (v: f32) = v * v
  let times (a: f32) (b: f32) = a * b
  let cube v = v `times` sq v
  in 3 * cube x + x **. 4

entry main (x: f32) = (polynomial x, compose_all 3)
