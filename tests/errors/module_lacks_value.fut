module type counter = {
  type t
  val zero : t
  val next : t -> t
}

module ints : counter = {
  type t = i32
  def zero = 0i32
}
