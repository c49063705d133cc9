-- A network with one hidden layer learns "either, but not both" by gradient descent: `vjp` gives the gradient of
-- the loss with respect to all weights at once.
-- ==
-- input { 2000i64 } output { [false, true, true, false] }

type weights = {hidden: [8][3]f64, output: [9]f64}

def dot [n] (xs: [n]f64) (ys: [n]f64) : f64 = f64.sum (map2 (*) xs ys)

-- The last weight of each neuron is its bias.
def answer (w: weights) (x: [2]f64) : f64 =
  let inputs = [x[0], x[1], 1]
  let hidden = map (\row -> f64.tanh (dot row inputs)) w.hidden
  in dot w.output (sized 9 (hidden ++ [1]))

def questions : [4][2]f64 = [[0, 0], [0, 1], [1, 0], [1, 1]]
def answers : [4]f64 = [0, 1, 1, 0]

def loss (w: weights) : f64 =
  f64.sum (map2 (\x y -> (answer w x - y) ** 2) questions answers)

def step (w: weights) : weights =
  let gradient = vjp loss w 1
  let less a b = a - 0.05 * b
  in { hidden = map2 (map2 less) w.hidden gradient.hidden
     , output = map2 less w.output gradient.output
     }

-- Weights that are all different, to begin with.
def start : weights =
  { hidden = tabulate_2d 8 3 (\i j -> f64.sin (f64.i64 (7 * i + 3 * j + 1)))
  , output = tabulate 9 (\i -> f64.cos (f64.i64 i))
  }

entry main (steps: i64) : [4]bool =
  let w = loop w = start for _i < steps do step w
  in map (\x -> answer w x > 0.5) questions
