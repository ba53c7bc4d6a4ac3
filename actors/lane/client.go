package lane

import "venuegate/actors"

// Client is the way to the lanes; safe for concurrent use. No method waits.
type Client struct{ ref actors.Ref }

// NewClient makes the client of the actor that runs at ref.
func NewClient(ref actors.Ref) Client { return Client{ref} }

// Enter takes a ticket; called is told when it is its turn, or why it never will
// be. Tickets are in the order in which they arrive.
func (c Client) Enter(t Ticket, called actors.Reply[struct{}]) { c.ref.Tell(enter{called, t}) }

// GiveBack ends a ticket, called or not.
func (c Client) GiveBack(holder, id string) { c.ref.Tell(giveBack{holder: holder, id: id}) }

// Leave ends every ticket of a holder.
func (c Client) Leave(holder string) { c.ref.Tell(leave{holder: holder}) }
