-- head

def a = 1 -- behind

def f x = -- before the body
  let y = 2 -- after y
  -- a paragraph

  -- and another
  let z =
    [ -- first
      1 -- one
    , 2
    ]
  in g y -- argument
       z -- last

def h =
  x -- lhs
  + -- rhs
    y

type t =
  { -- fields
    a: i32 -- of a
  , b: i32
  }

-- end

-- | Documentation.
-- Of h2.
def h2 (x: i32) -- parameter
       (y: i32) =
  match x
  -- zero
  case 0 -> y
  -- other
  case _ ->
    -- body
    x

module m = {
  -- nothing here
}

-- tail
