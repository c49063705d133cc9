entry main 'a (x: a) = x
