package rows

import "venuegate/persistence"

func endpointMembers(c *codec, e *persistence.Endpoint) {
	c.id(&e.ID)
	c.customer(&e.Customer)
	text(c, 1, &e.Kind)
	text(c, 2, &e.Name)
	text(c, 3, &e.Target)
	texts(c, 4, &e.Types)
	c.bytes(5, &e.Sealed)
	text(c, 6, &e.HookID)
	c.bytes(7, &e.Next)
	c.time(8, &e.NextFrom)
	c.flag(9, &e.Paused)
	text(c, 10, &e.Disabled)
	c.time(11, &e.CreatedAt)
	c.time(12, &e.RemovedAt)
}

func endpointCursorMembers(c *codec, e *persistence.EndpointCursor) {
	c.customer(&e.Customer)
	text(c, 1, &e.Endpoint)
	c.count(2, &e.Seq)
	text(c, 3, &e.Event)
}

func deliveryMembers(c *codec, d *persistence.Delivery) {
	c.customer(&d.Customer)
	text(c, 1, &d.Endpoint)
	text(c, 2, &d.EventID)
	c.count(3, &d.EventSeq)
	text(c, 4, &d.Type)
	text(c, 5, &d.Status)
	c.integer(6, &d.Attempts)
	c.time(7, &d.DueAt)
	c.time(8, &d.CreatedAt)
	c.time(9, &d.UpdatedAt)
	text(c, 10, &d.LastError)
	c.integer(11, &d.LastCode)
	c.integer(12, &d.LastMS)
}
