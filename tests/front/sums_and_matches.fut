-- | A little language of expressions over one variable.

type op = #add | #mul | #neg
type token = #num f32 | #var | #op op | #end

def arity (o: op) : i64 =
  match o
  case #add -> 2
  case #mul -> 2
  case #neg -> 1

def eval [n] (x: f32) (ts: [n]token) : f32 =
  let (stack, _) =
    loop (stack, top) = (replicate n 0f32, 0i64)
    for t in ts do
      match t
      case #num k -> (stack with [top] = k, top + 1)
      case #var -> (stack with [top] = x, top + 1)
      case #op #neg -> (stack with [top - 1] = -stack[top - 1], top)
      case #op o ->
        let a = stack[top - 1]
        let b = stack[top - 2]
        let r = if arity o == 2 && o == #add then a + b else a * b
        in (stack with [top - 2] = r, top - 1)
      case #end -> (stack, top)
  in stack[0]

def classify (p: (i32, bool)) : u8 =
  match p
  case (0, _) -> 'z'
  case (_, true) -> 'p'
  case _ -> 'n'

entry main (x: f32) = eval x [#num 2, #var, #op #mul, #num 1, #op #add, #end]
