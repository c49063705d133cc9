def applied =
  f x
    (y, z)

def below =
  map (\x ->
         x + 1)
      (iota 10)

def last =
  tabulate 10 \i ->
    i * i

def chain =
  xs |> map f
  |> filter g
  |> reduce (+) 0

def nested =
  a
  + b
    * c

def choice =
  if a
  then b
  else if c then d else e

def bindings =
  let a = 1
  let b = 2
  let f x (y: i32): i32 = x + y
  let [n] (c: [n]i32) = g a
  let c[0] =
    f a
      b
  let d.e = 2
  in d

def loops =
  loop (x, y) = (1, 2)
  for i < 10 do
    (y, x)

def short =
  loop x while x < 10 do
    x + 1

def cases =
  match v
  case #one x -> x
  case {a, b = -1} ->
    a
  case _ ->
    if true
    then 1
    else 2

def groups =
  ( [ 1
    , 2
    , 3
    ]
  , { a = 1
    , b =
        2
    , c
    }
  , ( 1
    , 2
    )
  )

def updated =
  a with [0] = 1
    with b.c[i, j:k:2, ::3] = 2

def sections = (map (+ 1) xs, (x -), (.a.b[0]), (`f` 2), m.(x + y), (m.+), (-x))
def signs = - -x + ! !y - -(-1)
def ranges = [0...9, 0..2...8, 10..9..>0, 0..<n]
def typed = (x : i32) :> number

def checked =
  assert (x > 0)
  assert (y > 0) x

def marked =
  #[unsafe]
  #[trace(a,b)]
  f x

def literals = [0x1F_u8, 1_000, 1.5e3f32, 'x', "a\"b", true, ???]
