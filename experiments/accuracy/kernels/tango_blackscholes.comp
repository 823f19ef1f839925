#version 450
layout(local_size_x = 256) in;
layout(set = 0, binding = 0) readonly buffer S { float price[]; };
layout(set = 0, binding = 1) readonly buffer K { float strike[]; };
layout(set = 0, binding = 2) readonly buffer T { float years[]; };
layout(set = 0, binding = 3) readonly buffer V { float volatility[]; };
layout(set = 0, binding = 4) writeonly buffer C { float call[]; };
layout(set = 0, binding = 5) writeonly buffer U { float put[]; };
layout(push_constant) uniform P { uint n; };
const float r = 0.02;
// The cumulative normal distribution, by Abramowitz and Stegun 26.2.17.
float normal(float d) {
    float k = 1.0 / (1.0 + 0.2316419 * abs(d));
    float c = 0.39894228 * exp(-0.5 * d * d) *
        (k * (0.31938153 + k * (-0.356563782 + k * (1.781477937 + k * (-1.821255978 + k * 1.330274429)))));
    return d > 0.0 ? 1.0 - c : c;
}
void main() {
    uint i = gl_GlobalInvocationID.x;
    if (i >= n) {
        return;
    }
    float s = price[i], x = strike[i], t = years[i], v = volatility[i], root = sqrt(t);
    float d1 = (log(s / x) + (r + 0.5 * v * v) * t) / (v * root), d2 = d1 - v * root;
    float n1 = normal(d1), n2 = normal(d2), discounted = x * exp(-r * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0 - n2) - s * (1.0 - n1);
}
