package rows

import "venuegate/persistence"

func userMembers(c *codec, u *persistence.User) {
	c.id(&u.Login)
	text(c, 1, &u.Customer)
	text(c, 2, &u.Role)
	c.time(3, &u.CreatedAt)
	c.flag(4, &u.Disabled)
	text(c, 5, &u.Password)
	c.bytes(6, &u.Invite)
	c.time(7, &u.InviteUntil)
	c.bytes(8, &u.Sealed)
	c.bytes(9, &u.Pending)
	c.integer(10, &u.UsedStep)
	texts(c, 11, &u.Recovery)
	texts(c, 12, &u.Sources)
	object(c, 13, &u.Preferences, userPreferencesMembers)
}

func userPreferencesMembers(c *codec, p *persistence.UserPreferences) {
	text(c, 1, &p.Zone)
	text(c, 2, &p.Density)
	c.flag(3, &p.NoShortcuts)
}

func sessionMembers(c *codec, s *persistence.Session) {
	c.id(&s.ID)
	text(c, 1, &s.User)
	text(c, 2, &s.Listener)
	c.bytes(3, &s.Hash)
	text(c, 4, &s.Source)
	text(c, 5, &s.Browser)
	c.time(6, &s.CreatedAt)
	c.time(7, &s.SeenAt)
	c.time(8, &s.SteppedUpAt)
	c.time(9, &s.EndsAt)
}
