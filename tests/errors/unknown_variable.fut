def main (count: i32) = cuont + 1
