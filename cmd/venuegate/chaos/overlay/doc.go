// Package overlay builds variants of this module's programs from source in which
// single lines are changed: points at which the process kills itself, planted
// bugs. Nothing of a variant is in the source that is shipped; `go build
// -overlay` replaces the files for one build.
//
// A [Variant] is a list of edits. An [Edit] names a file, a piece of its text
// and what stands there instead. The text must occur exactly once: source that
// moved on makes the build fail with the edit's name, so that no test goes on
// with a variant that changes nothing.
//
// # Example
//
//	v := overlay.Variant{
//		Edits: []overlay.Edit{{
//			Name: "resend", File: "actors/account/effects.go",
//			Old: "report, err := a.deps.Venue.Place(c, e.request)",
//			New: "a.deps.Venue.Place(c, e.request); report, err := a.deps.Venue.Place(c, e.request)",
//		}},
//	}
//	err := v.Build(ctx, root, filepath.Join(dir, "venuegate"), "./cmd/venuegate")
package overlay
