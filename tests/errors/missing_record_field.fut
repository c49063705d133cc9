def norm (p: {x: f32, y: f32}) = p.x * p.x + p.y * p.y

def main = norm {x = 1}
