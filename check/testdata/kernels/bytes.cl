// Bytes share words: the first write to a word writes it.
// finds: read of memory that nothing wrote: text
kernel void bytes(global const uint *a, global uint *b)
{
    const uint i = get_global_id(0);
    uchar text[8];
    text[i & 3] = a[i];
#ifndef WRONG
    text[4 + (i & 3)] = i;
#endif
    b[i] = text[i & 3] + text[4 + (i & 3)];
}
