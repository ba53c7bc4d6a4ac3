package rows

import "venuegate/persistence"

func eventMembers(c *codec, e *persistence.Event) {
	text(c, "id", &e.ID)
	c.count("seq", &e.Seq)
	text(c, "type", &e.Type)
	c.time("createdAt", &e.CreatedAt)
	c.json("data", &e.Data)
}

func journalMembers(c *codec, j *persistence.JournalEntry) {
	text(c, "id", &j.ID)
	c.count("seq", &j.Seq)
	c.time("at", &j.At)
	text(c, "kind", &j.Kind)
	text(c, "subject", &j.Subject)
	textOmit(c, "channel", &j.Channel)
	textOmit(c, "symbol", &j.Symbol)
	textOmit(c, "result", &j.Result)
	objectsOmit(c, "fields", &j.Fields, journalFieldMembers)
	c.bytesOmit("prevHash", &j.PrevHash)
	c.bytesOmit("hash", &j.Hash)
}

func journalFieldMembers(c *codec, f *persistence.JournalField) {
	text(c, "name", &f.Name)
	text(c, "value", &f.Value)
}
