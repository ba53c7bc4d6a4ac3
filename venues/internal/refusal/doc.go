// Package refusal turns a venue's no into the service's words.
//
// A Table holds the venue's codes by their Verdict: the service's code, the reason
// for the details, a text, and whether the request may have been executed all the
// same. Its Fault is the error, with what the venue said beside it, bounded. Is and
// CodeOf find the venue's code again in an error.
//
// Some refusals say less than the client needs to know. WithMargin, WithReduction and
// WithLeverage add what a connector knows or has just read; what they cannot tell they
// leave out, and what is no definite refusal they leave as it is.
package refusal
