package okx

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

// page returns a page of a snapshot of positions.
func page(number int, last bool, rows ...string) string {
	head := `"eventType":"snapshot","curPage":` + strconv.Itoa(number) + `,"lastPage":` + strconv.FormatBool(last) + `,"data"`
	return strings.Replace(pushOn(channelPositions, rows...), `"data"`, head, 1)
}

// changed returns an event about positions.
func changed(rows ...string) string {
	return strings.Replace(pushOn(channelPositions, rows...), `"data"`, `"eventType":"event_update","data"`, 1)
}

func row(instID, pos string) string {
	return strings.NewReplacer("BTC-USDT-SWAP", instID, `"pos":"50"`, `"pos":"`+pos+`"`).Replace(longBTC)
}

// heldIn returns the newest reported quantity of an instrument's long side.
func heldIn(h *connectortest.Recorder, symbol string) string {
	for _, p := range slices.Backward(h.Positions) {
		if p.Symbol == symbol && p.Side == venues.Long {
			return p.Qty.String()
		}
	}
	return ""
}

// reportedOf returns all reported quantities of an instrument, shorts with a sign.
func reportedOf(h *connectortest.Recorder, symbol string) string {
	var reported []string
	for _, p := range h.Positions {
		if qty := p.Qty; p.Symbol == symbol {
			if p.Side == venues.Short {
				qty = qty.Neg()
			}
			reported = append(reported, qty.String())
		}
	}
	return strings.Join(reported, ", ")
}

// A change between two pages is newer than the pages. A position that was not reported as
// open is not reported as closed.
func TestChangesReplacePages(t *testing.T) {
	for name, c := range map[string]struct {
		before   []string
		btc, eth string
	}{
		"reported before": {[]string{row("BTC-USDT-SWAP", "50"), row("ETH-USDT-SWAP", "50")}, "0.5, 0", "5, 0, -7, -7"},
		"new":             {nil, "", "-7, -7"},
	} {
		t.Run(name, func(t *testing.T) {
			_, v, h := private(t, nil)
			h.Await(t, "connection", func() bool { return h.Connections == 1 })
			v.Send(pathPrivate, page(1, true, c.before...))
			v.Send(pathPrivate, page(1, false, row("BTC-USDT-SWAP", "50")))
			v.Send(pathPrivate, changed(row("BTC-USDT-SWAP", "0"), row("ETH-USDT-SWAP", "-70")))
			v.Send(pathPrivate, page(2, true, row("ETH-USDT-SWAP", "50")))
			v.Send(pathPrivate, pushOn(channelAccount, `{"details":[]}`))
			h.Await(t, "balance change", func() bool { return h.Balances == 1 })
			h.With(func() {
				if btc, eth := reportedOf(h, "BTCUSDT"), reportedOf(h, "ETHUSDT"); btc != c.btc || eth != c.eth || len(h.Losses) != 0 {
					t.Errorf("BTC %s, ETH %s, losses %v, want BTC %s and ETH %s without a loss", btc, eth, h.Losses, c.btc, c.eth)
				}
			})
		})
	}
}

// A position that was opened and closed between two messages is not reported on either
// side. The end of a reported one is reported once.
func TestEndOfUnknownPosition(t *testing.T) {
	_, v, h := private(t, nil)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	v.Send(pathPrivate, page(1, true))
	for _, pos := range []string{"0", "50", "0", "0"} {
		v.Send(pathPrivate, changed(row("BTC-USDT-SWAP", pos)))
	}
	v.Send(pathPrivate, pushOn(channelAccount, `{"details":[]}`))
	h.Await(t, "balance change", func() bool { return h.Balances == 1 })
	h.With(func() {
		if len(h.Positions) != 2 || h.Positions[0].Qty.String() != "0.5" || h.Positions[1].Side != venues.Long || !h.Positions[1].Qty.IsZero() {
			t.Errorf("positions %+v, want one of 0.5 and a closed long", h.Positions)
		}
	})
}

// A lost page does not mean that its positions are closed.
func TestMissingPageIsALoss(t *testing.T) {
	for name, pages := range map[string][]string{
		"first":   {page(2, true, row("ETH-USDT-SWAP", "50"))},
		"between": {page(1, false, row("BTC-USDT-SWAP", "50")), page(3, true)},
		"repeat":  {page(1, false), page(2, true, row("BTC-USDT-SWAP", "50")), page(2, true)},
	} {
		t.Run(name, func(t *testing.T) {
			_, v, h := private(t, nil)
			h.Await(t, "connection", func() bool { return h.Connections == 1 })
			v.Send(pathPrivate, page(1, true, row("BTC-USDT-SWAP", "50")))
			h.Await(t, "the position", func() bool { return len(h.Positions) == 1 })
			for _, message := range pages {
				v.Send(pathPrivate, message)
			}
			h.Await(t, "loss and return", func() bool { return len(h.Losses) == 1 && h.Connections == 2 })
			h.With(func() {
				if held := heldIn(h, "BTCUSDT"); held != "0.5" {
					t.Errorf("BTC %s, want the position still open", held)
				}
			})
		})
	}
}

// An account reported in several pages has changed once.
func TestAccountPagesAreOneChange(t *testing.T) {
	_, v, h := private(t, nil)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	for _, last := range []string{"false", "true"} {
		v.Send(pathPrivate, strings.Replace(pushOn(channelAccount, `{"details":[]}`), `"data"`, `"eventType":"snapshot","curPage":1,"lastPage":`+last+`,"data"`, 1))
	}
	v.Send(pathPrivate, page(1, true, row("BTC-USDT-SWAP", "50")))
	h.Await(t, "the position", func() bool { return len(h.Positions) == 1 })
	h.With(func() {
		if h.Balances != 1 {
			t.Errorf("%d changes, want 1", h.Balances)
		}
	})
}
