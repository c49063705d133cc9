type vec = []f32
