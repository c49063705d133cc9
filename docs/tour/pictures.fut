-- # Pictures, films and sounds
--
-- This page is a program, `docs/tour/pictures.fut`; `fehu literate pictures.fut` writes the page. Comments at the
-- left margin are its text, in Markdown. A comment that begins with `-- >` is a *directive*: an expression, and what
-- is made of its value. Nothing else need be installed, but for `:gnuplot`, `webm`, sounds other than `wav`, and
-- pictures other than PNG, GIF and PPM.
--
-- directive | makes | from
-- --- | --- | ---
-- `> e` | text | any value
-- `> :img e` | a picture | `[h][w]u32` or `i32` (`0xRRGGBB`), `f32` or `f64` (0 is black, 1 white), `u8`, `bool`
-- `> :plot2d e` | a plot | `([n]t, [n]t)`, or a record of these
-- `> :video e` | a film | `[n][h][w]..`, or `(step, state, n)`
-- `> :audio e` | a sound | `[n]` or `[channels][n]` of integers or floats between -1 and 1
-- `> :gnuplot e` | what a script draws | a record of tuples of arrays
--
-- Parameters stand behind a semicolon, one a line: `name: value`. `:brief` before a directive hides them, `:covert`
-- hides the whole directive.
--
-- ## Plots
--
-- parameter | what it is
-- --- | ---
-- `style: points` | `lines` (if nothing is said), `points` or `bars`
-- `style NAME: bars` | the same for one field of the record
-- `title: TEXT`, `xlabel: TEXT`, `ylabel: TEXT` | above the plot, below it, and beside it
-- `log: y` | which axes are logarithmic: `x`, `y` or `xy`; numbers below zero have no place there
-- `size: (600, 400)` | width and height, in pixels
-- `file: NAME.svg` | what the file is called

def noise (i: i64) : f64 =
  let x = u32.i64 i * 2654435761
  let y = (x ^ (x >> 15)) * 2246822519
  in f64.u32 (y ^ (y >> 13)) / 4294967296

def measured : ([60]f64, [60]f64) =
  unzip (tabulate 60 (\i -> let x = f64.i64 i / 10 in (x, f64.exp (-x) + 0.1 * noise i)))

def model : ([60]f64, [60]f64) = unzip (tabulate 60 (\i -> let x = f64.i64 i / 10 in (x, f64.exp (-x) + 0.05)))

-- > :plot2d {measured=measured, model=model};
-- style measured: points
-- title: a decay, and noise
-- xlabel: seconds
-- ylabel: volts
-- log: y
-- size: (600, 360)
-- file: decay.svg

-- ## Pictures

def mandelbrot (h: i64) (w: i64) : [h][w]f64 =
  tabulate_2d h w (\i j ->
    let (a, b) = (3 * f64.i64 j / f64.i64 w - 2.1, 2.4 * f64.i64 i / f64.i64 h - 1.2)
    let (_, _, n) =
      loop (x, y, n) = (0, 0, 0i64) while x * x + y * y < 4 && n < 60 do
        (x * x - y * y + a, 2 * x * y + b, n + 1)
    in 1 - f64.i64 n / 60)

-- > :img mandelbrot 200i64 250i64;
-- file: mandelbrot.png

-- ## Films
--
-- A film is an array of pictures, or a function from a state to a picture and the next state, a first state, and how
-- many pictures there are. Only one picture is in memory at a time then.
--
-- parameter | what it is
-- --- | ---
-- `fps: 10` | pictures in a second [30]
-- `format: gif` | `gif`, or `webm`, which needs `ffmpeg` [`webm`]
-- `repeat: false` | whether it begins again [`true`]
-- `file: NAME.gif` | what the file is called

def game [h][w] (cells: [h][w]bool) : ([h][w]u8, [h][w]bool) =
  let alive i j = i32.bool cells[i % h, j % w]
  let next =
    tabulate_2d h w (\i j ->
      let around = i32.sum (map (\(a, b) -> alive (i + a) (j + b))
                                [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)])
      in around == 3 || (around == 2 && cells[i, j]))
  in (map (map (\alive -> if alive then 0 else 255)) cells, next)

def soup (h: i64) (w: i64) : [h][w]bool = tabulate_2d h w (\i j -> noise (i * w + j) < 0.35)

-- > :video (game, soup 80i64 120i64, 40i64);
-- fps: 10
-- format: gif
-- file: life.gif

-- ## Sounds
--
-- parameter | what it is
-- --- | ---
-- `sampling_frequency: 8000` | samples in a second [44100]
-- `codec: ogg` | `wav`, or one that `ffmpeg` knows [`wav`]
--
-- ## Gnuplot
--
-- Behind the semicolon is a script; each field of the record is a variable with the name of a file, whose columns are
-- the arrays: `> :gnuplot {pts=measured}; plot pts with points`.
--
-- ## Data from files
--
-- `$loaddata "FILE"` is what a file holds, as text or in binary form ([data](data.md)); `$loadimg "FILE"` a
-- picture, `$loadbytes "FILE"` the bytes, `$loadaudio "FILE"` samples. They stand in a directive:
-- `> kmeans ($loaddata "points.data")`.
--
-- Next: [data from elsewhere](data.md).
