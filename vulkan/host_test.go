package main

// Host is main, for the program of the tests, which has the driver in it and may host as well.
var Host = main
