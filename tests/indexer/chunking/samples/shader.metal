#include <metal_stdlib>
using namespace metal;

struct Vertex {
    float4 position [[position]];
    float2 uv;
};

template <typename T>
inline T doubled(T x) {
    return x + x;
}

kernel void add(device const float *a [[buffer(0)]],
                device float *sum [[buffer(1)]],
                uint id [[thread_position_in_grid]]) {
    float local = a[id];
    sum[id] = doubled(local);
}
