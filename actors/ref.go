package actors

import "github.com/asynkron/protoactor-go/actor"

// Ref is the address of an actor: a small value, free to copy and to share
// between goroutines. It names a path, not an instance, so it outlives restarts
// and also reaches an actor that was stopped and started again.
//
// The zero Ref addresses nobody: what is sent to it is refused with ErrStopped.
type Ref struct {
	system *System
	pid    *actor.PID
}

// Tell puts msg into the actor's mailbox and returns at once. The message must
// not be changed afterwards. A message that cannot be delivered is counted, and
// told so if it is Rejectable.
func (r Ref) Tell(msg any) {
	if r.pid == nil {
		reject(msg, ErrStopped)
		return
	}
	r.system.engine.Root.Send(r.pid, msg)
}

// Len is the number of messages that wait in the actor's mailbox, 0 for one
// that does not live.
func (r Ref) Len() int {
	if r.pid == nil {
		return 0
	}
	if c := r.system.cell(r.pid.Id); c != nil {
		return c.mailbox.UserMessageCount()
	}
	return 0
}

// Path is the actor's name with those of its ancestors,
// "root/customer/7/account/okx", or "" for the zero Ref.
func (r Ref) Path() string {
	if r.pid == nil {
		return ""
	}
	return r.pid.Id
}

// Child is the address of a child by its name, whether it lives or not. With it
// siblings can be introduced to each other before they are started.
func (r Ref) Child(name string) Ref {
	if r.pid == nil {
		return Ref{}
	}
	return r.system.Ref(r.pid.Id + "/" + name)
}
