package sampled

import "math"

// student has the quantiles of Student's distribution for 95 % on two sides, by degrees of freedom from 1 on.
var student = []float64{12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110, 2.101, 2.093, 2.086,
	2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042}

// quantile is that of so many degrees of freedom.
func quantile(degrees int) float64 { return student[min(degrees-1, len(student)-1)] }

// interval is the mean of samples and half the width of the interval in which the
// true mean is with account.Confidence. One sample alone may be off by all of it.
func interval(samples []float64) (mean, half float64) {
	n := float64(len(samples))
	for _, x := range samples {
		mean += x / n
	}
	if len(samples) < 2 {
		return mean, mean
	}
	squares := 0.0
	for _, x := range samples {
		squares += (x - mean) * (x - mean)
	}
	return mean, quantile(len(samples)-1) * math.Sqrt(squares/(n-1)/n)
}

// pooledRate is the rate of all samples together: the ratio of their sums.
func pooledRate(list []sample) float64 {
	var sum sample
	for _, s := range list {
		sum = sum.and(s)
	}
	return sum.rate()
}
