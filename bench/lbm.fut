-- Fluid in a box by the lattice Boltzmann method with nineteen directions in three dimensions (D3Q19). Cells are fluid
-- (0), wall (1) or fluid dragged along by a lid (2); each step streams the densities of all directions from the
-- neighbours, turns back what met a wall, and relaxes towards equilibrium.
--
-- Parallelism: cells, in a sequential loop over steps; nineteen values for each cell, unrolled. Memory-bound: 38 floats
-- moved for a cell and step. Each cell's row should be computed where the result needs it, and laid out so that
-- neighbouring threads read neighbouring cells: planes keeps the values of a direction together and wins on GPUs; main keeps those
-- of a cell together and wins on CPUs.
-- ==
-- entry: main planes
-- "still" input { 2 [[[1i8, 1i8, 1i8], [1i8, 0i8, 1i8], [1i8, 1i8, 1i8]]] }
-- output { [[[1f32, 1f32, 1f32], [1f32, 1f32, 1f32], [1f32, 1f32, 1f32]]]
--          [[[0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32]]]
--          [[[0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32]]]
--          [[[0f32, 0f32, 0f32], [0f32, 0f32, 0f32], [0f32, 0f32, 0f32]]] }
-- "small" input @ data/lbm/small.in
-- output @ data/lbm/small.out

-- The directions: at rest, six to faces, twelve to edges. Directions 2k+1 and 2k+2 are opposite.
def cx : [19]i64 = [0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, -1, 1, -1, 0, 0, 0, 0]
def cy : [19]i64 = [0, 0, 0, 1, -1, 0, 0, 1, -1, -1, 1, 0, 0, 0, 0, 1, -1, 1, -1]
def cz : [19]i64 = [0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, -1, 1, 1, -1, -1, 1]
def opposite (i: i64) : i64 = if i == 0 then 0 else if i % 2 == 1 then i + 1 else i - 1
def weight (i: i64) : f32 = if i == 0 then 1 / 3 else if i < 7 then 1 / 18 else 1 / 36

def omega : f32 = 1.95

-- Density and velocity.
def moments (fs: [19]f32) : (f32, f32, f32, f32) =
  let along (c: [19]i64) = loop s = 0 for i < 19 do s + fs[i] * f32.i64 c[i]
  let rho = loop s = 0 for i < 19 do s + fs[i]
  in (rho, along cx / rho, along cy / rho, along cz / rho)

def collide (flag: i8) (fs: [19]f32) : [19]f32 =
  let (rho, u, v, w) = moments fs
  let (u, v, w) = if flag == 2 then (0.005, 0.002, 0) else (u, v, w)
  let u2 = 1.5 * (u * u + v * v + w * w)
  in tabulate 19 (\i ->
       let c = f32.i64 cx[i] * u + f32.i64 cy[i] * v + f32.i64 cz[i] * w
       let equilibrium = weight i * rho * (1 + 3 * c + 4.5 * c * c - u2)
       in (1 - omega) * fs[i] + omega * equilibrium)

-- The values that stream into a cell from its neighbours; what `at` gives for a cell and a direction.
def stream (nz: i64) (ny: i64) (nx: i64) (flags: [nz][ny][nx]i8) (at: i64 -> i64 -> i64 -> i64 -> f32)
           (z: i64) (y: i64) (x: i64) : [19]f32 =
  let wall z y x =
    z < 0 || z >= nz || y < 0 || y >= ny || x < 0 || x >= nx || flags[z, y, x] == 1
  in tabulate 19 (\i ->
       let (z', y', x') = (z - cz[i], y - cy[i], x - cx[i])
       in if wall z' y' x' then at z y x (opposite i) else at z' y' x' i)

def step [nz] [ny] [nx] (flags: [nz][ny][nx]i8) (fs: [nz][ny][nx][19]f32) : [nz][ny][nx][19]f32 =
  let update z y x =
    if flags[z, y, x] == 1 then fs[z, y, x]
    else collide flags[z, y, x] (stream nz ny nx flags (\z y x i -> fs[z, y, x, i]) z y x)
  in tabulate_3d nz ny nx update

entry main [nz] [ny] [nx] (steps: i32) (flags: [nz][ny][nx]i8)
           : ([nz][ny][nx]f32, [nz][ny][nx]f32, [nz][ny][nx]f32, [nz][ny][nx]f32) =
  let start = replicate nz (replicate ny (replicate nx (tabulate 19 weight)))
  let ms = map (map (map moments)) (iterate steps (step flags) start)
  let pick f = map (map (map f)) ms
  in (pick (.0), pick (.1), pick (.2), pick (.3))

entry planes [nz] [ny] [nx] (steps: i32) (flags: [nz][ny][nx]i8)
             : ([nz][ny][nx]f32, [nz][ny][nx]f32, [nz][ny][nx]f32, [nz][ny][nx]f32) =
  let index z y x = (z * ny + y) * nx + x
  let update (fs: [19][nz * ny * nx]f32) c =
    let (z, y, x) = (c / (ny * nx), c / nx % ny, c % nx)
    in if flags[z, y, x] == 1 then fs[:, c]
       else collide flags[z, y, x] (stream nz ny nx flags (\z y x i -> fs[i, index z y x]) z y x)
  let start = tabulate 19 (\i -> replicate (nz * ny * nx) (weight i))
  let fs = loop fs = start for _i < steps do transpose (tabulate (nz * ny * nx) (update fs))
  let pick f = unflatten_3d (map f (map moments (transpose fs)))
  in (pick (.0), pick (.1), pick (.2), pick (.3))
