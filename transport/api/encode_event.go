package api

import "venuegate/venues"

// AppendEvent writes the envelope of an outbound event. data is a JSON object,
// made by the service; it is copied as it stands.
func AppendEvent(dst []byte, id, eventType string, createdAt venues.Time, data []byte) []byte {
	dst = append(dst, '{')
	dst = text(dst, "id", id)
	dst = text(dst, "type", eventType)
	dst = moment(dst, "createdAt", createdAt)
	dst = append(append(name(dst, "data"), data...), ',')
	return closeObject(dst)
}
