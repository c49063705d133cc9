def buffer : *[]i32 = [0, 0, 0]
