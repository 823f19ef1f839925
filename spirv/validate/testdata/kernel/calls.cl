static int gcd(int a, int b) { while (b != 0) { int t = a % b; a = b; b = t; } return a; }
__attribute__((noinline)) void put(global int *p, int v) { if (v < 0) return; *p = v; }
__attribute__((noinline)) int twice(private int *x) { *x *= 2; return *x; }
kernel void helper(global int *a) { a[0] = gcd(a[1], a[2]); }
kernel void calls(global int *a) {
  size_t i = get_global_id(0);
  int x = a[i];
  put(a + i, gcd(x, 36) + twice(&x) + x);
  helper(a);
}
