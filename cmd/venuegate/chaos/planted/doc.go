// Package planted checks that the tests detect bugs. It plants one bug after another
// into the source, for one build of a test each, and expects that test to fail for the
// right reason.
//
// The bugs are the classic ones of order handling: an order sent before its intent is
// durable, or twice, or reported as rejected while its outcome is unknown. The shipped
// source has none of them; package overlay replaces the lines for the build.
//
// `make test` checks that every bug still fits the source, and plants a few;
// `make chaos` plants all of them.
package planted
