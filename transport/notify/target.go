package notify

import (
	"regexp"

	"venuegate/persistence"
	"venuegate/transport/api"
	"venuegate/venues"
)

// Members of an endpoint that Check finds fault with, as administration names
// them.
const (
	fieldTarget = "target"
	fieldSecret = "secret"
)

// targets are the forms of what an endpoint can lead to.
var targets = map[persistence.EndpointKind]struct {
	form    *regexp.Regexp
	allowed string
}{
	persistence.EndpointTelegram: {
		regexp.MustCompile(`^(-?[1-9][0-9]{0,18}|@[A-Za-z][A-Za-z0-9_]{3,63})$`),
		"the id of a chat, or @name of a public group",
	},
	persistence.EndpointSheet: {
		regexp.MustCompile(`^[A-Za-z0-9_-]{10,128}$`),
		"the id of a spreadsheet: what stands in its address between /d/ and the next slash",
	},
	persistence.EndpointFile: {
		regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}\.xlsx$`),
		"the name of a file that ends in .xlsx, of letters, digits, dots, dashes and underscores",
	},
}

// CheckTarget says whether the target of an endpoint has the form that its kind
// asks for: invalid_request if not.
func CheckTarget(kind persistence.EndpointKind, target string) error {
	rule, known := targets[kind]
	if !known {
		return api.Fault("kind", api.RuleUnknownValue, short(string(kind)), "")
	}
	if !rule.form.MatchString(target) {
		return api.Fault(fieldTarget, api.RuleMalformed, short(target), rule.allowed)
	}
	return nil
}

// fault is what the customer has to put right, in words.
func fault(field, rule, what string) error {
	err := venues.InvalidFields(venues.FieldFault{Field: field, Rule: rule})
	err.Message = field + ": " + what
	return err
}

// unusable: what the member leads to has to be put right.
func unusable(field, what string) error { return fault(field, api.RuleUnusable, what) }
