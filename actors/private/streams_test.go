package private_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"venuegate/actors/actortest"
	"venuegate/actors/private"
	"venuegate/venues"
)

// events ignores everything.
type events struct{ venues.PrivateSink }

func (events) Connected() {}
func (events) Lost(error) {}

// feed is a private feed whose sink the test calls.
type feed struct{ sink venues.PrivateSink }

func (*feed) Close() {}

func TestConnectionIsCounted(t *testing.T) {
	var reports []string
	actortest.Run(t, func(k *actortest.Kit) {
		streams := private.NewStreams(func(wanted, connected int) {
			reports = append(reports, fmt.Sprintf("%d/%d", connected, wanted))
		})
		expect := func(what string, want ...string) {
			t.Helper()
			k.Settle()
			if !slices.Equal(reports, want) {
				t.Errorf("%s: reports = %v, want %v", what, reports, want)
			}
			reports = nil
		}
		opened := map[string]*feed{}
		for _, name := range []string{"first", "second"} {
			child := private.Child(private.Deps{Events: events{}, Streams: streams, Open: func(sink venues.PrivateSink) venues.PrivateFeed {
				opened[name] = &feed{sink}
				return opened[name]
			}})
			child.Name = name
			k.Start(child)
			k.Settle()
		}
		expect("started", "0/1", "0/2")
		opened["first"].sink.Connected()
		opened["second"].sink.Connected()
		opened["second"].sink.Connected()
		expect("connected", "1/2", "2/2")
		opened["second"].sink.Lost(errors.New("reset"))
		opened["second"].sink.Lost(errors.New("reset"))
		expect("one lost", "1/2")
	})
	if last := reports[len(reports)-1]; last != "0/0" {
		t.Errorf("stopped: reports = %v, want 0/0 last", reports)
	}
}
