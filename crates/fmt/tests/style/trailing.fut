-- Comments at the ends of lines stay behind what they are about.
def a = [ 1, -- one
          2, -- two
          3 -- three
        ]

def f x = -- why
  g x -- first
    y + -- plus
    z

def h =
  let x = 1 -- c1
  in -- c2
  let y = 2 -- c3
  in x + y

def r = { a = 1, -- aa
          b = 2 } -- bb

module type S = { -- ms
  val x : i32 -- x
  val y : -- y
    i32
}

def dist (a: point) -- a
         (b: point) -- b
         : i32 = -- dist
  a.x - b.x

def m = if true -- t
 then 1 else -- e
   2

type shape = #circle f32 -- circle
           | #square -- square

def last = 3 -- last

-- Attributes inside of braces on one line stay there.
module n = { #[noinline] def f (x: i32) = x + 1 #[inline] def g (x: i32) = x - 1 }

module type t = { #[foo] val x : i32 }
