package api

import "venuegate/venues"

// The fields of each request body, for the tests of the document.
var (
	PlaceOrderFields     = placeOrderFields.names
	AmendOrderFields     = amendOrderFields.names
	ClosePositionFields  = closePositionFields.names
	ChangeLeverageFields = changeLeverageFields.names
	SignalFields         = signalFields.names
)

// OpenAPIWithVenues returns the OpenAPI document for a table of venues.
func OpenAPIWithVenues(list ...venues.Venue) []byte { return withVenues(openAPIFile, list) }

// AsyncAPIWithVenues returns the AsyncAPI document for a table of venues.
func AsyncAPIWithVenues(list ...venues.Venue) []byte { return withVenues(asyncAPIFile, list) }
