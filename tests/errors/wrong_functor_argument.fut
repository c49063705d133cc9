module twice (m: { val step : i32 -> i32 }) = {
  def run (x: i32) = m.step (m.step x)
}

module bad = twice { def step (x: bool) = x }
