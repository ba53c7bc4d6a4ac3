package connectortest

import "venuegate/venues"

// Decimal is a decimal as venues print them; "" is unknown. It panics on what is none.
func Decimal(text string) venues.Optional {
	if text == "" {
		return venues.Optional{}
	}
	d, err := venues.ParseVenueDecimal(text)
	if err != nil {
		panic(err)
	}
	return venues.Some(d)
}
