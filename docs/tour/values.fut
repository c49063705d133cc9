-- # Values and functions
--
-- A program is a file of definitions. `def` names a value, or a function with its parameters; lines below are
-- expressions and what they give.

def answer = 42i32
def half (x: f64) : f64 = x / 2
def add x y = x + y + answer

-- > (half 3.0f64, add 1i32 2i32)

-- A function is applied by writing its arguments behind it, without parentheses and commas: `add 1 2`. An
-- argument that is no name or number stands in parentheses: `half (half 3)`.
--
-- Types stand behind a colon. Where they are left out, the compiler finds them: `add` takes and gives `i32`, since
-- it adds `answer`. Types of parameters are worth writing: errors are found where they are made.
--
-- ## Numbers
--
-- Integers are `i8`, `i16`, `i32`, `i64`, and without a sign `u8` to `u64`. Floating-point numbers are `f16`,
-- `f32`, `f64`. A number can say its type (`2u8`, `0x1Fi64`, `1e-3f32`); otherwise it has the type that its place
-- asks for, and if nothing does, `i32` or `f64`. There are `true` and `false` of type `bool`.
--
-- Numbers of different types are never mixed silently. What converts them is in the module of the result's type:

def mean_of_two (a: i32) (b: i64) : f64 = (f64.i32 a + f64.i64 b) / 2

-- > mean_of_two 3i32 4i64

-- Functions of numbers are in these modules too, and so are constants: `f64.sqrt`, `f32.pi`, `i64.max`, `f32.inf`,
-- `i32.highest`. `fehu repl` lists them with `:mtype f64`.

def norm (x: f64) (y: f64) : f64 = f64.sqrt (x ** 2 + y ** 2)

-- > norm 3.0f64 4.0f64

-- operators | what they do
-- --- | ---
-- `+ - * / % **` | arithmetic; `/` and `%` round down, `//` and `%%` towards zero
-- `== != < <= > >=` | comparisons
-- `&& \|\| !` | logic; the right side of `&&` is evaluated only if the left one is true
-- `& \| ^ << >> !` | bits of integers
-- `x \|> f`, `f <\| x` | `f x`, for long expressions
-- `f >-> g`, `g <-< f` | first `f`, then `g`
--
-- Any operator can be named in parentheses, and half-applied: `(+)`, `(+ 1)`, `(2 *)`. But `(- 1)` is a number.
--
-- Integers wrap around, in both directions. Division by zero ends the program with an error.

def rounding = (-7i32 / 2, -7i32 // 2, -7i32 % 2, -7i32 %% 2, 127i8 + 1i8)

-- > rounding

-- ## Names and choices
--
-- `let` names a value for what follows; several can stand below each other. Nothing changes: a second `let` of a
-- name makes a new value, which hides the old one. `if` is an expression and always has an `else`.

def collatz (n: i64) : i64 =
  let odd = n % 2 == 1
  let next = if odd then 3 * n + 1 else n / 2
  in next

-- > (collatz 6i64, collatz 7i64)

-- Functions can be defined inside of others, and have no name at all: `\x y -> x + y`.

def twice (f: f64 -> f64) (x: f64) : f64 = f (f x)

def shifted (x: f64) : f64 =
  let shift y = y + 0.5
  in twice shift x + twice (\y -> y * y) x

-- > shifted 2.0f64

-- ## Tuples
--
-- A tuple holds values of different types. Patterns take it apart; `.0`, `.1` are its parts.

def divided (a: i32) (b: i32) : (i32, i32) = (a / b, a % b)

def digits (n: i32) : i32 =
  let (tens, ones) = divided n 10
  in tens + ones + (divided n 100).1

-- > digits 42i32

-- ## Type parameters
--
-- `'a` stands for any type; it is declared before the parameters. Who calls the function need not say what it is.

def swap 'a 'b (x: a, y: b) : (b, a) = (y, x)

def swapped : (bool, i32) = swap (1, true)

-- > swapped

-- ## What can be called from outside
--
-- `entry` makes a definition that executables, libraries and tests can call; the others are for the program.
-- `main` is the one that `fehu run` calls.

entry main (x: f64) : f64 = shifted x

-- Next: [arrays](arrays.md).
