package actors

import "github.com/asynkron/protoactor-go/actor"

// Ref is the address of an actor: a small value, free to copy and to share
// between goroutines. It names a path, not an instance, so it outlives restarts
// and also reaches an actor that was stopped and started again.
//
// Messages to the zero Ref are rejected with ErrStopped.
type Ref struct {
	system *System
	pid    *actor.PID
}

// Tell puts msg into the actor's mailbox and returns immediately. The message must not
// be changed afterwards. A message that cannot be delivered is counted, and rejected if
// it is Rejectable.
func (r Ref) Tell(msg any) {
	if r.pid == nil {
		reject(msg, ErrStopped)
		return
	}
	r.system.engine.Root.Send(r.pid, msg)
}

// Len returns the number of messages in the actor's mailbox, 0 if there is no such
// actor.
func (r Ref) Len() int {
	if r.pid == nil {
		return 0
	}
	if c := r.system.cell(r.pid.Id); c != nil {
		return c.mailbox.UserMessageCount()
	}
	return 0
}

// Path returns the actor's name with those of its ancestors,
// "root/customer/7/account/okx", or "" for the zero Ref.
func (r Ref) Path() string {
	if r.pid == nil {
		return ""
	}
	return r.pid.Id
}

// Child returns the address of a child by its name, whether it exists or not. With it
// siblings can be given each other's addresses before they are started.
func (r Ref) Child(name string) Ref {
	if r.pid == nil {
		return Ref{}
	}
	return r.system.Ref(r.pid.Id + "/" + name)
}
