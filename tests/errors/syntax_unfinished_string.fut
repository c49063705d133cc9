def f = "never closed
