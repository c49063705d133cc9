def table : []i32 = [2, 3, 5]

def changed (i: i32) = table with [0] = i
