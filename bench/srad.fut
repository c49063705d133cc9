-- Speckle-reducing anisotropic diffusion: smooths an image except across edges, which it tells from speckle by the
-- local variation compared with that of the whole image; a batch of images.
--
-- Parallelism: batches x rows x columns, and a reduction over each image, in a sequential loop. One large image (d1)
-- needs whole-device reductions and maps; 1024 images of 16 x 16 (d2) fit a thread block each, with the loop inside.
-- ==
-- "tiny" input { 2 0.5f32 [[[10f32, 200f32], [150f32, 10f32]]] }
-- output { [[[48.8098068f32, 178.909515f32], [127.18988f32, 45.8614769f32]]] }
-- "small" input @ data/srad/small.in
-- output @ data/srad/small.out

def diffuse [n] [m] (lambda: f32) (image: [n][m]f32) : [n][m]f32 =
  let count = f32.i64 (n * m)
  let (sum, squares) =
    reduce_comm (\(a, b) (c, d) -> (a + c, b + d)) (0, 0) (map (\x -> (x, x * x)) (flatten image))
  let mean = sum / count
  let speckle = (squares / count - mean * mean) / (mean * mean)
  let slopes i j =
    let at = image[i, j]
    in ( image[i64.max 0 (i - 1), j] - at
       , image[i64.min (n - 1) (i + 1), j] - at
       , image[i, i64.max 0 (j - 1)] - at
       , image[i, i64.min (m - 1) (j + 1)] - at )
  let coefficient i j =
    let at = image[i, j]
    let (up, down, left, right) = slopes i j
    let gradient = (up * up + down * down + left * left + right * right) / (at * at)
    let laplace = (up + down + left + right) / at
    let den = 1 + 0.25 * laplace
    let here = (0.5 * gradient - laplace * laplace / 16) / (den * den)
    let c = 1 / (1 + (here - speckle) / (speckle * (1 + speckle)))
    in f32.max 0 (f32.min 1 c)
  let cs = tabulate_2d n m coefficient
  in tabulate_2d n m (\i j ->
       let (up, down, left, right) = slopes i j
       let below = cs[i64.min (n - 1) (i + 1), j]
       let beside = cs[i, i64.min (m - 1) (j + 1)]
       in image[i, j] + 0.25 * lambda * (cs[i, j] * (up + left) + below * down + beside * right))

def smooth [n] [m] (iterations: i32) (lambda: f32) (image: [n][m]f32) : [n][m]f32 =
  map (map (\x -> f32.exp (x / 255))) image
  |> iterate iterations (diffuse lambda)
  |> map (map (\x -> 255 * f32.log x))

def main [b] [n] [m] (iterations: i32) (lambda: f32) (images: [b][n][m]f32) : [b][n][m]f32 =
  map (smooth iterations lambda) images
