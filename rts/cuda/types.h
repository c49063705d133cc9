// The part of CUDA that the interface shows; its own headers agree.
typedef unsigned long long CUdeviceptr;
