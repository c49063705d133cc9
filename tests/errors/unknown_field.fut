def main (p: {x: f32, y: f32}) = p.z
