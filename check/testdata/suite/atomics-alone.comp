#version 450
// finds: race between waves: n
// finds: race within a wave: n
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
shared uint n;
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  if (i == 0)
    n = 0;
  barrier();
  uint mine = atomicAdd(n, 1);
  if (i == 40)
#ifdef WRONG
    n = 5;
#else
    atomicMax(n, 5);
#endif
  b[g] = mine + atomicAdd(n, 0);
}
