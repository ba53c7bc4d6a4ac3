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
		t.Fatalf("kept requests = %d, open %t, want at most %d and true", len(o.requests), open.isOpen(), pendingRepliesMin)
	}
	o.reject(ErrFailed)
	if open.isOpen() || len(o.requests) != 0 {
		t.Fatalf("kept requests = %d, open %t, want 0 and false", len(o.requests), open.isOpen())
	}
}
