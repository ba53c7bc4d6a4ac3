// Package planted asks whether the tests would notice. It plants one bug after
// another into the source, for one build of a test each, and expects that test to
// fail and to say why. A suite that catches fewer bugs than were planted is no
// evidence of anything.
//
// The bugs are the classic ones of order handling: an order sent before its intent
// is durable, or twice, or called rejected when nobody knows. None of them is in
// the source that is shipped; package overlay replaces the lines for the build.
//
// `make test` checks that every bug still fits the source, and plants a few;
// `make chaos` plants all of them.
package planted
