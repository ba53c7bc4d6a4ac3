package rows

import "venuegate/persistence"

func eventMembers(c *codec, e *persistence.Event) {
	text(c, 1, &e.ID)
	c.sequence(&e.Seq)
	text(c, 2, &e.Type)
	c.time(3, &e.CreatedAt)
	c.json(4, &e.Data)
}

func journalMembers(c *codec, j *persistence.JournalEntry) {
	c.id(&j.ID)
	c.count(1, &j.Seq)
	c.at(&j.At)
	text(c, 2, &j.Kind)
	text(c, 3, &j.Subject)
	text(c, 4, &j.Channel)
	text(c, 5, &j.Symbol)
	text(c, 6, &j.Result)
	objects(c, 7, &j.Fields, journalFieldMembers)
	c.bytes(8, &j.PrevHash)
	c.bytes(9, &j.Hash)
}

func journalFieldMembers(c *codec, f *persistence.JournalField) {
	text(c, 1, &f.Name)
	text(c, 2, &f.Value)
}
