package api

import (
	"mime"
	"slices"
	"strings"
)

// MediaJSON is the media type of bodies.
const MediaJSON = "application/json"

// CheckMedia refuses a body that is not as it stands of one of the allowed media
// types: a compressed one could be of any size, one in another format would be
// misread. The arguments are the headers Content-Type and Content-Encoding.
func CheckMedia(contentType, contentEncoding string, allowed ...string) error {
	if contentEncoding != "" && !strings.EqualFold(contentEncoding, "identity") {
		return Fault("Content-Encoding", RuleNotApplicable, contentEncoding, "none")
	}
	if media, _, err := mime.ParseMediaType(contentType); err != nil || !slices.Contains(allowed, media) {
		return Fault("Content-Type", RuleNotApplicable, contentType, strings.Join(allowed, " or "))
	}
	return nil
}
