package delivery_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"venuegate/actors/delivery"
	"venuegate/persistence"
	"venuegate/persistence/storetest"
)

// inBubble runs a test with a process on an empty store in virtual time.
func inBubble(t *testing.T, test func(t *testing.T, h *process)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		h := open(t, storetest.NewMemory())
		defer h.close()
		test(t, h)
	})
}

func settle(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (r *receiver) events() []string {
	var ids []string
	for _, p := range r.seen() {
		ids = append(ids, p.event)
	}
	slices.Sort(ids)
	return ids
}

func TestNewEndpointBeginsAfterItsCreation(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		h.emit(persistence.EventOrderFilled, 1500)
		time.Sleep(time.Second + 300*time.Microsecond) // the store keeps milliseconds
		to := endpoint("end_1")
		want := h.emit(persistence.EventOrderFilled, 3) // the queue has not started yet
		r := newReceiver(accept)
		c := h.start(to, r)
		settle(time.Second)
		want = append(want, h.emit(persistence.EventOrderFilled, 2)...)
		c.Wake(1 << 40)
		settle(time.Second)
		slices.Sort(want)
		if got := r.events(); !slices.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	})
}

func TestFilters(t *testing.T) {
	all, closed := persistence.EndpointTelegram.EventTypes(), []persistence.EventType{persistence.EventPositionClosed}
	public, notification := all[:len(all)-1], all[len(all)-1:]
	for name, c := range map[string]struct {
		kind  persistence.EndpointKind
		types []persistence.EventType
		want  []persistence.EventType
	}{
		"webhook":          {persistence.EndpointWebhook, nil, public},
		"webhook filtered": {persistence.EndpointWebhook, all[3:5], all[3:5]},
		"webhook notified": {persistence.EndpointWebhook, notification, nil},
		"bot":              {persistence.EndpointTelegram, nil, all},
		"bot filtered":     {persistence.EndpointTelegram, all[:1], all[:1]},
		"sheet":            {persistence.EndpointSheet, nil, closed},
		"file":             {persistence.EndpointFile, all[:2], nil},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, h *process) {
				to := endpoint("end_1")
				to.Kind, to.Types = c.kind, c.types
				var got []persistence.EventType
				client := h.start(to, newReceiver(func(_ context.Context, e persistence.Event, _ int) persistence.Attempt {
					got = append(got, e.Type)
					return persistence.Attempt{Code: 200}
				}))
				for _, kind := range all {
					h.emit(kind, 1)
					client.Wake(1 << 40)
					settle(time.Second)
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("%v, want %v", got, c.want)
				}
			})
		})
	}
}

func TestGoneDisablesTheEndpoint(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		to := endpoint("end_1")
		r := newReceiver(func(context.Context, persistence.Event, int) persistence.Attempt {
			return persistence.Attempt{Code: 410, Err: errors.New("answered 410"), Gone: "answered 410 Gone"}
		})
		c := h.start(to, r)
		ids := h.emit(persistence.EventOrderFilled, 20)
		c.Wake(20)
		settle(30 * time.Second) // longer than the first delay
		if n := len(r.seen()); n == 0 || n > delivery.ConcurrencyMax {
			t.Errorf("%d posts, want 1 to ConcurrencyMax", n)
		}
		records, err := h.store.Endpoints(t.Context(), customer)
		if err != nil || len(records) != 1 || len(h.disables()) != 1 || records[0].Disabled != "answered 410 Gone" {
			t.Fatalf("%+v, %d times, %v, want one record, disabled: answered 410 Gone", records, len(h.disables()), err)
		}
		if got := h.rows("end_1"); !slices.Equal(got, []string{"endpoint.disabled/disabled"}) {
			t.Error(got)
		}
		// Enabled again, the queue continues with the pending deliveries.
		again := open(t, h.store)
		defer again.close()
		healed := newReceiver(accept)
		again.start(to, healed)
		settle(time.Hour)
		if got := healed.events(); !slices.Equal(got, sorted(ids)) {
			t.Errorf("%d of %d events, want all", len(got), len(ids))
		}
	})
}

// The first call of Disable may have failed.
func TestDisableIsRepeated(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		h.dropDisables.Store(true)
		c := h.start(endpoint("end_1"), newReceiver(func(context.Context, persistence.Event, int) persistence.Attempt {
			return persistence.Attempt{Code: 410, Err: errors.New("answered 410"), Gone: "answered 410 Gone"}
		}))
		h.emit(persistence.EventOrderFilled, 1)
		c.Wake(1)
		settle(time.Second)
		h.dropDisables.Store(false)
		settle(2 * time.Minute)
		if disabled := h.disables(); len(disabled) == 0 || disabled[0].Disabled != "answered 410 Gone" {
			t.Errorf("%+v, want one or more, disabled: answered 410 Gone", disabled)
		}
	})
}

func sorted(ids []string) []string {
	ids = slices.Clone(ids)
	slices.Sort(ids)
	return ids
}

func TestPausedEndpointSendsNothing(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		for name, change := range map[string]func(*persistence.Endpoint){
			"end_paused":   func(e *persistence.Endpoint) { e.Paused = true },
			"end_disabled": func(e *persistence.Endpoint) { e.Disabled = "answered 410 Gone" },
		} {
			to := endpoint(name)
			change(&to)
			r := newReceiver(accept)
			c := h.start(to, r)
			settle(time.Second)
			ids := h.emit(persistence.EventOrderFilled, 5)
			c.Wake(1 << 40)
			settle(time.Hour)
			if n := len(r.seen()); n != 0 {
				t.Errorf("%s: %d posts, want 0", name, n)
			}
			again := open(t, h.store)
			again.start(endpoint(name), r)
			settle(time.Second)
			if got := r.events(); !slices.Equal(got, sorted(ids)) {
				t.Errorf("%s: events = %v, want %v", name, got, sorted(ids))
			}
			again.close()
			h.own()
		}
	})
}

func TestTestEvent(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		to := endpoint("end_1")
		to.Paused, to.Types = true, []persistence.EventType{persistence.EventOrderFilled}
		var sent persistence.Event
		c := h.start(to, newReceiver(func(_ context.Context, e persistence.Event, _ int) persistence.Attempt {
			sent = e
			time.Sleep(time.Second)
			return persistence.Attempt{Code: 500, Answer: []byte("oops"), Err: errors.New("answered 500")}
		}))
		got, err := c.Test(t.Context())
		if err != nil || got.EventID != sent.ID || got.Attempt.Code != 500 || got.Took != time.Second {
			t.Fatalf("%+v, %v, want the event's id, Code 500, Took 1s", got, err)
		}
		if sent.Type != persistence.EventAlertFired || !strings.Contains(string(sent.Data), `"test":true`) {
			t.Errorf("event = %s %s, want a test alert", sent.Type, sent.Data)
		}
		if rows := h.rows(sent.ID); !slices.Equal(rows, []string{"delivery.attempt/test"}) {
			t.Error(rows)
		}
		if d := h.deliveries("end_1"); len(d) != 0 {
			t.Errorf("deliveries = %v, want none", d)
		}
	})
}

// Endpoints that accept closed trades only are sent a closed trade.
func TestTestEventForClosedTrades(t *testing.T) {
	for _, kind := range []persistence.EndpointKind{persistence.EndpointSheet, persistence.EndpointFile} {
		inBubble(t, func(t *testing.T, h *process) {
			to := endpoint("end_1")
			to.Kind = kind
			var sent persistence.Event
			c := h.start(to, newReceiver(func(ctx context.Context, e persistence.Event, n int) persistence.Attempt {
				sent = e
				return accept(ctx, e, n)
			}))
			if _, err := c.Test(t.Context()); err != nil {
				t.Fatal(err)
			}
			if text := string(sent.Data); sent.Type != persistence.EventPositionClosed || !json.Valid(sent.Data) || !strings.Contains(text, `"comment":"test"`) {
				t.Errorf("%s: event = %s %s, want a closed position with comment test", kind, sent.Type, text)
			}
		})
	}
}

func TestHangingEndpointDelaysNoOther(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		dead := newReceiver(func(ctx context.Context, _ persistence.Event, _ int) persistence.Attempt {
			<-ctx.Done()
			return persistence.Attempt{Err: ctx.Err()}
		})
		fine := newReceiver(accept)
		var clients []delivery.Client
		for i := range 20 {
			clients = append(clients, h.start(endpoint(fmt.Sprint("end_dead", i)), dead))
		}
		clients = append(clients, h.start(endpoint("end_fine"), fine))
		settle(time.Second)
		begun := time.Now()
		h.emit(persistence.EventOrderFilled, 400)
		for _, c := range clients {
			c.Wake(1 << 40)
		}
		settle(time.Minute)
		posts := fine.seen()
		if len(posts) != 400 || posts[399].at.Sub(begun) > 0 {
			t.Errorf("posts = %d, the last after %v, want 400 immediately", len(posts), posts[len(posts)-1].at.Sub(begun))
		}
	})
}

func TestFailingEventDelaysNoneBehindIt(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		var bad string
		r := newReceiver(func(ctx context.Context, e persistence.Event, n int) persistence.Attempt {
			if e.ID == bad {
				return refuse(ctx, e, n)
			}
			return accept(ctx, e, n)
		})
		c := h.start(endpoint("end_1"), r)
		settle(time.Second)
		bad = h.emit(persistence.EventOrderFilled, 1)[0]
		h.emit(persistence.EventOrderFilled, 100)
		c.Wake(101)
		settle(time.Second)
		if len(r.taken) != 100 {
			t.Errorf("%d events received, want 100", len(r.taken))
		}
	})
}

// Many more events fail than fit into memory, and each keeps its own schedule.
func TestScheduleIsKeptBeyondTheWindow(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		var running, most atomic.Int32
		r := newReceiver(func(ctx context.Context, e persistence.Event, n int) persistence.Attempt {
			most.Store(max(most.Load(), running.Add(1)))
			defer running.Add(-1)
			return refuse(ctx, e, n)
		})
		c := h.start(endpoint("end_1"), r)
		settle(time.Second)
		const events = 600
		for range 10 {
			h.emit(persistence.EventOrderFilled, events/10)
			c.Wake(1 << 40)
			settle(time.Second)
		}
		settle(3 * time.Hour)
		byEvent := map[string][]post{}
		for _, p := range r.seen() {
			byEvent[p.event] = append(byEvent[p.event], p)
		}
		if len(byEvent) != events || most.Load() > delivery.ConcurrencyMax {
			t.Errorf("%d events, %d attempts at a time, want %v events, at most ConcurrencyMax", len(byEvent), most.Load(), events)
		}
		for _, posts := range byEvent {
			checkOffsets(t, posts, posts[0].at)
		}
	})
}

func TestFailedCommitRestartsTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory()
		h := open(t, store)
		defer h.close()
		r := newReceiver(accept)
		c := h.start(endpoint("end_1"), r)
		settle(time.Second)
		for i := range 20 {
			if i%2 == 0 {
				store.LoseNextReply() // the emission's own answer
			}
			_, _ = h.tryEmit(persistence.EventOrderFilled, 3)
			store.FailNext(persistence.ErrUnavailable)
			c.Wake(1 << 40)
			settle(time.Minute)
		}
		if len(r.taken) != 60 {
			t.Errorf("%d events received, want 60", len(r.taken))
		}
		all := h.emitted()
		if delivered, pending, undelivered := h.equation("end_1", all, r); delivered != 60 {
			t.Errorf("%d delivered, %d pending, %d undelivered, want 60", delivered, pending, undelivered)
		}
	})
}

// A receiver that hangs does not delay the stop, and the interrupted attempt does not
// count.
func TestStopInterruptsAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := storetest.NewMemory()
		h := open(t, store)
		r := newReceiver(func(ctx context.Context, _ persistence.Event, _ int) persistence.Attempt {
			<-ctx.Done()
			return persistence.Attempt{Err: ctx.Err()}
		})
		c := h.start(endpoint("end_1"), r)
		settle(time.Second)
		id := h.emit(persistence.EventOrderFilled, 1)[0]
		c.Wake(1)
		settle(3 * time.Second)
		begun := time.Now()
		h.close()
		if took := time.Since(begun); took > 0 {
			t.Errorf("stopped after %v, want no wait", took)
		}
		if d := h.deliveries("end_1")[id]; d.Attempts != 0 || d.Status != persistence.DeliveryPending {
			t.Errorf("%+v, want Attempts 0, Status DeliveryPending", d)
		}
	})
}

func TestJournalRowOfAnAttempt(t *testing.T) {
	inBubble(t, func(t *testing.T, h *process) {
		c := h.start(endpoint("end_1"), newReceiver(func(context.Context, persistence.Event, int) persistence.Attempt {
			time.Sleep(1500 * time.Millisecond)
			return persistence.Attempt{Code: 503, Answer: []byte("busy\xff"), Err: errors.New("answered 503")}
		}))
		settle(time.Second)
		id := h.emit(persistence.EventOrderFilled, 1)[0]
		c.Wake(1)
		settle(2 * time.Second)
		page, err := h.store.Journal(t.Context(), persistence.JournalQuery{Customer: customer, Subject: id, Channel: "end_1", Result: "failed"})
		if err != nil || len(page.Items) != 1 {
			t.Fatalf("%v, %v, want one row", page, err)
		}
		var text []string
		for _, f := range page.Items[0].Fields {
			text = append(text, f.Name+"="+f.Value)
		}
		want := "type=order.filled attempt=1 durationMs=1500 status=503 error=answered 503 answer=busy\uFFFD nextAt=" +
			h.deliveries("end_1")[id].DueAt.UTC().Format("2006-01-02T15:04:05.000Z")
		if got := strings.Join(text, " "); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	})
}
