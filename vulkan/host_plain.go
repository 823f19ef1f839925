//go:build !race

package main

func main() {}
