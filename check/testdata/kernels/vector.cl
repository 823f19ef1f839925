// A vector that is written by components, which read it all at first; its three parts are stored as four.
// finds: read of memory that nothing wrote: w
kernel void vector(global const uint *a, global uint *b)
{
    const uint i = get_global_id(0);
    uint3 v;
    v.x = a[i];
#ifndef WRONG
    v.y = i;
#endif
    uint3 w = v;
    b[i] = w.x + w.y;
}
