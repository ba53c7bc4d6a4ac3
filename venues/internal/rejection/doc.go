// Package rejection maps a venue's error codes to the service's errors.
//
// A Table holds the Class of each code of the venue: the service's code, the reason for the
// details, a message, and whether the request may have been executed nevertheless. Err
// returns the error, which contains the venue's bounded message. Is and CodeOf find the
// venue's code in an error.
//
// Some rejections lack information that a client needs. WithMargin, WithReduction and
// WithLeverage add what a connector knows or has just read. They leave out what is unknown
// and do not change errors that are not definite rejections.
package rejection
