// Package overlay builds variants of this module's programs in which single lines of
// the source are changed: points at which the process kills itself, planted bugs. The
// shipped source has none of them; `go build -overlay` replaces the files for one
// build.
//
// A [Variant] is a list of edits. An [Edit] names a file, a text in it and its
// replacement. The text must occur exactly once: if the source has changed, the build
// fails with the name of the edit, so that no test runs a variant without its change.
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
