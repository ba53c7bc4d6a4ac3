// Package main is venuegate.
package main

func main() {}
