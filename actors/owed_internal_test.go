package actors

import "testing"

type question struct{ Reply[int] }

// TestAnsweredRequestsAreNotKept however many there are.
func TestAnsweredRequestsAreNotKept(t *testing.T) {
	var o owed
	open := question{ReplyFunc(func(int, error) {})}
	o.add(open)
	for range 10_000 {
		q := question{ReplyFunc(func(int, error) {})}
		o.add(q)
		q.Send(1)
	}
	if len(o.requests) > owedMin || !open.isOpen() {
		t.Fatalf("%d are kept", len(o.requests))
	}
	o.reject(ErrFailed)
	if open.isOpen() || len(o.requests) != 0 {
		t.Fatal("it was not answered")
	}
}
