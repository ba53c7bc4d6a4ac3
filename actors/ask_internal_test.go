package actors

import "testing"

type question struct{ Reply[int] }

func TestAnsweredRequestsAreNotKept(t *testing.T) {
	var o pendingReplies
	open := question{ReplyFunc(func(int, error) {})}
	o.add(open)
	for range 10_000 {
		q := question{ReplyFunc(func(int, error) {})}
		o.add(q)
		q.Send(1)
	}
	if len(o.requests) > pendingRepliesMin || !open.isOpen() {
		t.Fatalf("%d requests are kept", len(o.requests))
	}
	o.reject(ErrFailed)
	if open.isOpen() || len(o.requests) != 0 {
		t.Fatal("the open request was not rejected")
	}
}
