//go:build race

package storetest

var volumeCases []conformanceCase
