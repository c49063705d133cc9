-- One training step of a network with one hidden layer and one output: forwards, then the errors backwards, then the
-- weights, with momentum. The first input is the bias.
--
-- Parallelism: the hidden layer is hidden x a reduction over inputs (with its map fused in), the new weights are inputs
-- x hidden. The hidden layer is narrow (16), so the long reduction must be parallel.
-- ==
-- "tiny" input { 0.5f32 0.1f32 [1f32, 0.5f32] [[0f32], [0f32]] [1f32] [[0f32], [0f32]] [0f32] }
-- output { -0.0333238691f32 [[-0.00249929f32], [-0.00124965f32]] [0.9950014f32] }
-- "small" input @ data/backprop/small.in
-- output @ data/backprop/small.out

def rate : f32 = 0.3
def momentum : f32 = 0.3

def squash (x: f32) : f32 = 1 / (1 + f32.exp (-x))
def dot [n] (xs: [n]f32) (ys: [n]f32) : f32 = f32.sum (map2 (*) xs ys)

def main [n] [h] (target: f32) (bias: f32) (inputs: [n]f32) (weights: [n][h]f32) (out_weights: [h]f32)
                 (moves: [n][h]f32) (out_moves: [h]f32) : (f32, [n][h]f32, [h]f32) =
  let hidden = map (dot inputs >-> squash) (transpose weights)
  let out = squash (bias + dot hidden out_weights)
  let error = out * (1 - out) * (target - out)
  let errors = map2 (\y w -> y * (1 - y) * w * error) hidden out_weights
  let move x e old = rate * e * x + momentum * old
  let out_weights' = map3 (\w y old -> w + move y error old) out_weights hidden out_moves
  let weights' =
    map3 (\ws x olds -> map3 (\w e old -> w + move x e old) ws errors olds) weights inputs moves
  in (error, weights', out_weights')
