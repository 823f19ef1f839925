#version 450

// One lane follows indices through workgroup memory: two runs of different lengths give the time of a load.
layout(local_size_x = 32) in;

layout(set = 0, binding = 0) buffer Result { uint last; };
layout(push_constant) uniform Push { uint apart; uint loads; }; // apart is odd; loads is a multiple of 32

shared uint next[1024];
#define NEXT at = next[at];
#define NEXT8 NEXT NEXT NEXT NEXT NEXT NEXT NEXT NEXT

void main() {
    for (uint i = gl_LocalInvocationIndex; i < 1024; i += 32) {
        next[i] = (i + apart) % 1024;
    }
    barrier();
    if (gl_LocalInvocationIndex != last) { // 0, which no compiler knows
        return;
    }
    uint at = gl_LocalInvocationIndex;
    for (uint i = 0; i < loads; i += 32) {
        NEXT8 NEXT8 NEXT8 NEXT8
    }
    last = at;
}
