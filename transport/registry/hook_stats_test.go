package registry_test

import (
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/persistence/storetest"
	"venuegate/transport/registry"
	"venuegate/venues"
)

func TestHookStatsCountSignalsOfADay(t *testing.T) {
	in := newInstallation(t)
	now := time.Now().Truncate(time.Millisecond)
	for i, s := range []struct {
		status persistence.SignalStatus
		age    time.Duration
	}{
		{persistence.SignalDone, time.Minute},
		{persistence.SignalDone, 23 * time.Hour},
		{persistence.SignalRejected, time.Hour},
		{persistence.SignalTested, 2 * time.Hour},
		{persistence.SignalDone, 25 * time.Hour},
	} {
		signal := storetest.NewSignal(in.alice, 10+i)
		signal.ChannelID, signal.Status, signal.ReceivedAt = in.hook, s.status, venues.At(now.Add(-s.age))
		if err := in.service.Put(t.Context(), signal); err != nil {
			t.Fatal(err)
		}
	}
	got := made(in.For(in.alice, registry.Author{}).Hooks.Stats(t.Context(), in.hook))
	if got.Statuses != (registry.HookStatuses{Done: 2, Rejected: 1, Test: 1}) || !got.Complete || !got.LastSignalAt.Equal(now.Add(-time.Minute)) {
		t.Errorf("stats = %+v, want 2 done, 1 rejected, 1 test of a day, the last a minute ago", got)
	}
	if got.FailedProofs != 3 || got.FailedProofsSince.IsZero() {
		t.Errorf("stats = %+v, want 3 failed proofs since a time", got)
	}
}

// A new address ends the previous one, keeps the token, and is shown once.
func TestAddressOfAChartIsReplaced(t *testing.T) {
	in, ctx := newInstallation(t), t.Context()
	before, first := in.channel(t, in.chart), made(in.Hooks.Address(ctx, in.chart)).URL
	next := made(in.Hooks.Address(ctx, in.chart))
	after := in.channel(t, in.chart)
	if next.URL == "" || next.URL == first || next.ChannelToken != "" || string(after.AddressHash) == string(before.AddressHash) || string(after.TokenHash) != string(before.TokenHash) {
		t.Errorf("hook = %+v, want another address than %s and the same token", next, first)
	}
	if got := made(in.Hooks.Get(ctx, in.chart)); strings.Contains(got.URL, next.URL) {
		t.Errorf("hook = %+v, want no address", got)
	}
	if _, err := in.Hooks.Address(ctx, in.hook); venues.CodeOf(err) != venues.CodeInvalidRequest {
		t.Errorf("address of a webhook: error %v, want %s", err, venues.CodeInvalidRequest)
	}
}

// channel returns the stored record of a channel of alice.
func (in *installation) channel(t *testing.T, id string) persistence.Channel {
	t.Helper()
	for _, c := range made(in.store.Channels(t.Context(), in.alice)) {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no channel %s", id)
	return persistence.Channel{}
}
