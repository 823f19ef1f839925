// Structures are copied whole, though not all members are written; a member that is used must be.
// finds: read of memory that nothing wrote: second
typedef struct {
    uint x, y;
    ulong z;
} triple;

kernel void structure(global const uint *a, global uint *b)
{
    const uint i = get_global_id(0);
    triple first, second;
    first.x = a[i];
#ifdef WRONG
    if (i & 1)
#endif
        first.z = i;
    second = first;
    b[i] = second.x + (uint)second.z;
}
