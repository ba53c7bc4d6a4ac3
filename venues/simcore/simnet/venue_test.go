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

	"venuegate/venues/simcore"
	"venuegate/venues/simcore/simnet"
	"venuegate/venues/simcore/simtest"
)

func rules() simcore.Options {
	one := decimal.NewFromInt(1)
	return simcore.Options{Name: "nowhere", Instruments: []simcore.Instrument{{
		Symbol: "BTCUSDT", Base: "BTC", Quote: "USDT", StartPrice: decimal.NewFromInt(100), TickSize: one, StepSize: one,
		PriceMin: one, PriceMax: decimal.NewFromInt(100_000), QtyMin: one, QtyMax: decimal.NewFromInt(1000),
		Brackets: []simcore.Bracket{{LeverageMax: 10, NotionalCap: decimal.NewFromInt(1_000_000), MaintenanceRate: decimal.New(1, -2)}},
	}}, Credentials: simcore.CredentialFormat{KeyLen: 8, SecretLen: 8}}
}

// newVenue is a venue whose protocol is one page, and how many steps it took.
func newVenue(t *testing.T, setup simnet.Setup) (*simnet.Venue, *atomic.Int64) {
	t.Helper()
	v, err := simnet.NewVenue(setup, rules())
	if err != nil {
		t.Fatal(err)
	}
	var steps atomic.Int64
	v.Speak(simnet.Protocol{
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
		t.Errorf("%d %s", r.Status, r.Body)
	}
	if clock := client.Script("GET", "/clock", ""); simtest.Num(clock["offsetMs"]).IntPart() != time.Hour.Milliseconds() {
		t.Errorf("%v", clock)
	}
	if err := v.Rehearse(func() (func(), error) { return nil, nil }); !errors.Is(err, simnet.ErrServing) {
		t.Errorf("%v", err)
	}
}

func TestDemoKeyHasTheVenuesLength(t *testing.T) {
	t.Parallel()
	setup := simnet.Setup{DemoCredentials: &simcore.Credentials{APIKey: "short", APISecret: "s"}}
	if _, err := simnet.NewVenue(setup, rules()); err == nil {
		t.Error("taken")
	}
	setup.DemoCredentials.APIKey = "eight888"
	v, err := simnet.NewVenue(setup, rules())
	if err != nil || v.DemoAccount().Credentials != *setup.DemoCredentials {
		t.Errorf("%v", err)
	}
}

func TestVenueSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v, steps := newVenue(t, simnet.Setup{Quiet: true})
		simtest.StartInMemory(t, v)
		time.Sleep(10*simnet.PumpInterval + time.Millisecond)
		if n := steps.Load(); n != 10 {
			t.Errorf("%d steps", n)
		}
		if err := v.Close(); err != nil {
			t.Error(err)
		}
		time.Sleep(simnet.PumpInterval)
		if n := steps.Load(); n != 10 {
			t.Errorf("%d steps of a closed venue", n)
		}
	})
}

// A recording plays from Serve on, in its own time or faster, and ends with the
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
				err := v.Rehearse(func() (func(), error) {
					return func() { played.Play(v, func(time.Duration) { took = append(took, time.Since(began)) }) }, nil
				})
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
					t.Fatalf("%v, want %v", took, test.took)
				}
				for i := range took {
					if took[i] != test.took[i] {
						t.Errorf("%v, want %v", took, test.took)
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

func TestPaces(t *testing.T) {
	t.Parallel()
	var paces simnet.Paces
	at := time.Unix(1_000_000, 0)
	for _, step := range []struct {
		after time.Duration
		due   bool
	}{
		{0, true}, {50 * time.Millisecond, false}, {80 * time.Millisecond, true}, {100 * time.Millisecond, false}, {155 * time.Millisecond, true},
	} {
		if due := paces.Due(100*time.Millisecond, at.Add(step.after)); due != step.due {
			t.Errorf("after %s: %t", step.after, due)
		}
	}
	paces.Hasten(100 * time.Millisecond)
	if !paces.Due(100*time.Millisecond, at.Add(156*time.Millisecond)) {
		t.Error("not hastened")
	}
}

// What is held is done after that, in order.
func TestHold(t *testing.T) {
	t.Parallel()
	clock := simtest.NewClock()
	v, _ := newVenue(t, simnet.Setup{Quiet: true, Now: clock.Now})
	done := ""
	v.Hold()
	for _, name := range []string{"a", "b"} {
		v.Later(time.Millisecond, func() { done += name })
	}
	clock.Advance(time.Hour)
	if v.Step(); done != "" {
		t.Errorf("done %q", done)
	}
	v.Release()
	if v.Step(); done != "ab" {
		t.Errorf("done %q", done)
	}
}

// What is promised is done at a step after its delay, in order; without a delay it
// is done at once.
func TestLater(t *testing.T) {
	t.Parallel()
	clock := simtest.NewClock()
	v, _ := newVenue(t, simnet.Setup{Quiet: true, Now: clock.Now})
	done := ""
	promise := func(name string, delay time.Duration) { v.Later(delay, func() { done += name }) }
	promise("a", time.Second)
	promise("b", 2*time.Second)
	promise("c", time.Second)
	promise("d", 0)
	for _, want := range []string{"d", "d", "dac", "dacb", "dacb"} {
		if v.Step(); done != want {
			t.Errorf("%s, want %s", done, want)
		}
		if want == "d" || want == "dac" {
			clock.Advance(500 * time.Millisecond)
		}
		if want == "dac" {
			clock.Advance(500 * time.Millisecond)
		}
	}
}
