-- What is on neighbouring lines stays close.
let zero = 0
def one   =   1
entry two = 2
type number = i32 type other = number
open   other_module
import "library"
local def  hidden = 3
local
def alone = 4

def (<+>) a b = a + b
def a <-> b = a - b
def a `minus` b = a - b

-- | Documented, with an empty line behind.

#[inline] #[noinline] def attributes = 5
#[prop(size(3), shrink)] entry close = 6

def spread
  (x: i32) (y: i32)
  : i32 = x + y
def sized [n] 't (xs: [n]t)
   (ys: [n]t) = zip xs ys
def pattern (a,
   {b, c = (d, e)}) (#some f) = a

#[opaque] local type kept = i32
-- | The documentation of
-- two lines.
local module m = { def x = 1
  def y = 2

  -- the end of the module
}
-- the end of the file
-- | Documentation before an attribute.
#[inline] local def g = 3
