//go:build !race

package storetest

// volumeCases have the limits that need thousands of records. The race detector takes ten
// times as long for them, and sees the same reads and writes in the other cases.
var volumeCases = []conformanceCase{
	{"a page of orders or fills scans a bounded number of rows", orderBounded},
	{"a purge has more than one step", purgeMany},
	{"an archive has more than one file", archiveMany},
}
