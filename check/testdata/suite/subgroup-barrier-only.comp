#version 450
// finds: race between waves: tile
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer In { uint a[]; };
layout(set = 0, binding = 1) buffer Out { uint b[]; };
// right with waves of 64 lanes
shared uint tile[64];
void main() {
  uint i = gl_LocalInvocationID.x, g = gl_GlobalInvocationID.x;
  tile[i] = a[g];
#ifdef WRONG
  subgroupBarrier();
#else
  barrier();
#endif
  b[g] = tile[63 - i] + tile[i ^ 1];
}
