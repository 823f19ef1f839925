//go:build !linux

package config

func largePages([]byte) {}
