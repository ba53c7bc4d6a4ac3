package rows

import "venuegate/persistence"

func endpointMembers(c *codec, e *persistence.Endpoint) {
	text(c, "id", &e.ID)
	text(c, "customer", &e.Customer)
	text(c, "kind", &e.Kind)
	textOmit(c, "name", &e.Name)
	text(c, "target", &e.Target)
	textsOmit(c, "types", &e.Types)
	c.bytesOmit("sealed", &e.Sealed)
	textOmit(c, "hookId", &e.HookID)
	c.bytesOmit("next", &e.Next)
	c.time("nextFrom", &e.NextFrom)
	c.flagOmit("paused", &e.Paused)
	textOmit(c, "disabled", &e.Disabled)
	c.time("createdAt", &e.CreatedAt)
	c.time("removedAt", &e.RemovedAt)
}

func endpointCursorMembers(c *codec, e *persistence.EndpointCursor) {
	text(c, "customer", &e.Customer)
	text(c, "endpoint", &e.Endpoint)
	c.count("seq", &e.Seq)
	textOmit(c, "event", &e.Event)
}

func deliveryMembers(c *codec, d *persistence.Delivery) {
	text(c, "customer", &d.Customer)
	text(c, "endpoint", &d.Endpoint)
	text(c, "eventId", &d.EventID)
	c.count("eventSeq", &d.EventSeq)
	text(c, "type", &d.Type)
	text(c, "status", &d.Status)
	c.integer("attempts", &d.Attempts)
	c.time("dueAt", &d.DueAt)
	c.time("createdAt", &d.CreatedAt)
	c.time("updatedAt", &d.UpdatedAt)
	textOmit(c, "lastError", &d.LastError)
}
