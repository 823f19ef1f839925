#version 450
layout(local_size_x=256) in;
layout(set=0,binding=0) readonly buffer X{vec4 x[];};
layout(set=0,binding=1) buffer Y{float y[];};
shared float tmp[256];
layout(constant_id=0) const uint N=128;
const uint M=N*2+1;
float pick(uint i){ if(i>3) return 1.0; for(int k=0;k<3;k++){ if(i==k) return float(k); } return 2.0; }
void main(){ uint l=gl_LocalInvocationID.x; vec4 v=x[gl_GlobalInvocationID.x];
 tmp[l]=v.x+v.y+v.z+v.w+pick(l)+float(M); barrier();
 for(uint s=gl_WorkGroupSize.x/2;s>0;s>>=1){ if(l<s) tmp[l]+=tmp[l+s]; barrier(); }
 if(l==0) y[gl_WorkGroupID.x]=tmp[0]; }
