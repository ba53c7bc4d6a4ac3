package simnet_test

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/shopspring/decimal"
	"go.uber.org/goleak"

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

// No simulator may leave a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func rules() simcore.Options {
	one := decimal.NewFromInt(1)
	return simcore.Options{Name: "nowhere", Instruments: []simcore.Instrument{{
		Symbol: "BTCUSDT", Base: "BTC", Quote: "USDT", StartPrice: decimal.NewFromInt(100), TickSize: one, StepSize: one,
		PriceMin: one, PriceMax: decimal.NewFromInt(100_000), QtyMin: one, QtyMax: decimal.NewFromInt(1000),
		Brackets: []simcore.Bracket{{LeverageMax: 10, NotionalCap: decimal.NewFromInt(1_000_000), MaintenanceRate: decimal.New(1, -2)}},
	}}, Credentials: simcore.CredentialFormat{KeyLen: 8, SecretLen: 8}}
}

// newVenue returns a venue whose protocol is one page, and the count of its steps.
func newVenue(t *testing.T, setup simnet.Setup) (*simnet.Venue, *atomic.Int64) {
	t.Helper()
	v, err := simnet.NewVenue(setup, rules())
	if err != nil {
		t.Fatal(err)
	}
	var steps atomic.Int64
	v.SetProtocol(simnet.Protocol{
		Routes: func(app *fiber.App) {
			app.Get("/ping", func(c *fiber.Ctx) error { return c.SendString("pong") })
		},
		Step: func() { steps.Add(1) },
	})
	return v, &steps
}

func TestVenueServesItsProtocol(t *testing.T) {
	t.Parallel()
	v, _ := newVenue(t, simnet.Setup{Quiet: true, ClockOffset: time.Hour})
	client := simtest.Start(t, v)
	if r := client.Do(client.Request("GET", "/ping", "")); string(r.Body) != "pong" {
		t.Errorf("answer = %d %s, want 200 pong", r.Status, r.Body)
	}
	if clock := client.Script("GET", "/clock", ""); simtest.Num(clock["offsetMs"]).IntPart() != time.Hour.Milliseconds() {
		t.Errorf("clock = %v, want offsetMs %d", clock, time.Hour.Milliseconds())
	}
	err := simnet.Recording[int]{}.PlayOn(v, func() error { return nil }, func(int) {})
	if !errors.Is(err, simnet.ErrServing) {
		t.Errorf("error of a recording after Serve = %v, want %v", err, simnet.ErrServing)
	}
}

func TestDemoKeyMustHaveTheVenuesLength(t *testing.T) {
	t.Parallel()
	setup := simnet.Setup{DemoCredentials: &simcore.Credentials{APIKey: "short", APISecret: "s"}}
	if _, err := simnet.NewVenue(setup, rules()); err == nil {
		t.Error("a demo key of another length is accepted, want an error")
	}
	setup.DemoCredentials.APIKey = "eight888"
	v, err := simnet.NewVenue(setup, rules())
	if err != nil || v.DemoAccount().Credentials != *setup.DemoCredentials {
		t.Errorf("error = %v, want none and the given credentials", err)
	}
}

func TestVenueStepsUntilClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, steps := newVenue(t, simnet.Setup{Quiet: true})
		simtest.StartInMemory(t, v)
		time.Sleep(10*simnet.PumpInterval + time.Millisecond)
		simtest.Equal(t, "steps", steps.Load(), 10)
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(simnet.PumpInterval)
		simtest.Equal(t, "steps after Close", steps.Load(), 10)
	})
}

// A recording plays from Serve on, at the recorded speed or faster, and ends with the
// venue.
func TestRecordingIsPlayedInTime(t *testing.T) {
	for name, test := range map[string]struct {
		speed int
		took  []time.Duration
	}{
		"as recorded": {0, []time.Duration{0, 10 * time.Second, 40 * time.Second}},
		"faster":      {10, []time.Duration{0, time.Second, 4 * time.Second}},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "recording")
			if err := os.WriteFile(path, []byte("5\nnoise\n15\n45\n3600\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			synctest.Test(t, func(t *testing.T) {
				v, _ := newVenue(t, simnet.Setup{Quiet: true})
				played := simnet.Recording[time.Duration]{
					Path: path, Parse: seconds, At: func(at time.Duration) time.Duration { return at }, Speed: test.speed,
				}
				var began time.Time
				var took []time.Duration
				err := played.PlayOn(v, func() error { return nil }, func(time.Duration) { took = append(took, time.Since(began)) })
				if err != nil {
					t.Fatal(err)
				}
				began = time.Now()
				simtest.StartInMemory(t, v)
				time.Sleep(time.Minute)
				if err := v.Close(); err != nil {
					t.Error(err)
				}
				if len(took) != len(test.took) {
					t.Fatalf("times = %v, want %v", took, test.took)
				}
				for i := range took {
					if took[i] != test.took[i] {
						t.Errorf("times = %v, want %v", took, test.took)
					}
				}
			})
		})
	}
}

func seconds(line []byte) (time.Duration, bool) {
	n, err := strconv.Atoi(strings.TrimSpace(string(line)))
	return time.Duration(n) * time.Second, err == nil
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	var schedule simnet.Schedule
	at := time.Unix(1_000_000, 0)
	for _, step := range []struct {
		after time.Duration
		due   bool
	}{
		{0, true}, {50 * time.Millisecond, false}, {80 * time.Millisecond, true}, {100 * time.Millisecond, false}, {155 * time.Millisecond, true},
	} {
		if due := schedule.Due(100*time.Millisecond, at.Add(step.after)); due != step.due {
			t.Errorf("due after %s = %t, want %t", step.after, due, step.due)
		}
	}
	schedule.MakeDue(100 * time.Millisecond)
	if !schedule.Due(100*time.Millisecond, at.Add(156*time.Millisecond)) {
		t.Error("due after MakeDue = false, want true")
	}
}

func TestHeldCallsAreMadeAfterRelease(t *testing.T) {
	t.Parallel()
	clock := simtest.NewClock()
	v, _ := newVenue(t, simnet.Setup{Quiet: true, Now: clock.Now})
	done := ""
	v.Hold()
	for _, name := range []string{"a", "b"} {
		v.After(time.Millisecond, func() { done += name })
	}
	clock.Advance(time.Hour)
	if v.Step(); done != "" {
		t.Errorf("calls while held = %q, want none", done)
	}
	v.Release()
	if v.Step(); done != "ab" {
		t.Errorf("calls after Release = %q, want %q", done, "ab")
	}
}

// Deferred calls are made at a step after their delay, and immediately without a
// delay.
func TestDeferredCallsAreMadeInOrder(t *testing.T) {
	t.Parallel()
	clock := simtest.NewClock()
	v, _ := newVenue(t, simnet.Setup{Quiet: true, Now: clock.Now})
	done := ""
	after := func(name string, delay time.Duration) { v.After(delay, func() { done += name }) }
	after("a", time.Second)
	after("b", 2*time.Second)
	after("c", time.Second)
	after("d", 0)
	for _, want := range []string{"d", "d", "dac", "dacb", "dacb"} {
		if v.Step(); done != want {
			t.Errorf("calls = %q, want %q", done, want)
		}
		if want == "d" || want == "dac" {
			clock.Advance(500 * time.Millisecond)
		}
		if want == "dac" {
			clock.Advance(500 * time.Millisecond)
		}
	}
}
