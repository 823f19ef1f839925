// An array of which each work-item writes some elements.
// finds: read of memory that nothing wrote: t
kernel void array(global const uint *a, global uint *b)
{
    const uint i = get_global_id(0);
    uint t[4];
#ifdef WRONG
    for (uint k = 0; k < (i & 3); k++)
#else
    for (uint k = 0; k < 4; k++)
#endif
        t[k] = a[i] + k;
    b[i] = t[2];
}
