package main

import "testing"

// TestReceiverClosesAtOnce: a start that fails closes the receiver before it has
// begun to serve.
func TestReceiverClosesAtOnce(t *testing.T) {
	for range 200 {
		r, err := openReceiver(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
