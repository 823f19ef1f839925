#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer A { uint added, most, ored, xored; int least; uint exchanged, anded; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    atomicAdd(added, i);
    atomicMax(most, i);
    atomicMin(least, -int(i));
    atomicOr(ored, 1u << (i & 31));
    atomicXor(xored, i);
    atomicAnd(anded, ~(1u << (i & 15)));
    uint old = atomicExchange(exchanged, i + 1);
}
