package okx

import (
	"strconv"
	"strings"
	"testing"

	"venuegate/venues"
	"venuegate/venues/internal/connectortest"
)

// page is a page of a snapshot of positions.
func page(number int, last bool, rows ...string) string {
	head := `"eventType":"snapshot","curPage":` + strconv.Itoa(number) + `,"lastPage":` + strconv.FormatBool(last) + `,"data"`
	return strings.Replace(pushOn(channelPositions, rows...), `"data"`, head, 1)
}

// changed is an event about positions.
func changed(rows ...string) string {
	return strings.Replace(pushOn(channelPositions, rows...), `"data"`, `"eventType":"event_update","data"`, 1)
}

func row(instID, pos string) string {
	return strings.NewReplacer("BTC-USDT-SWAP", instID, `"pos":"50"`, `"pos":"`+pos+`"`).Replace(longBTC)
}

// heldIn is the newest quantity that was told of an instrument's long side.
func heldIn(h *connectortest.Heard, symbol string) string {
	for n := len(h.Positions) - 1; n >= 0; n-- {
		if p := h.Positions[n]; p.Symbol == symbol && p.Side == venues.Long {
			return p.Qty.String()
		}
	}
	return ""
}

// What changes between two pages is newer than what the pages say.
func TestChangesOvertakePages(t *testing.T) {
	_, v, h := private(t, nil)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	v.Say(pathPrivate, page(1, false, row("BTC-USDT-SWAP", "50")))
	v.Say(pathPrivate, changed(row("BTC-USDT-SWAP", "0"), row("ETH-USDT-SWAP", "70")))
	v.Say(pathPrivate, page(2, true, row("ETH-USDT-SWAP", "50")))
	v.Say(pathPrivate, pushOn(channelAccount, `{"details":[]}`))
	h.Await(t, "all of it", func() bool { return h.Balances == 1 })
	h.With(func() {
		if btc, eth := heldIn(h, "BTCUSDT"), heldIn(h, "ETHUSDT"); btc != "0" || eth != "7" {
			t.Errorf("BTC %s, ETH %s", btc, eth)
		}
	})
}

// A page that is lost is no sign that its positions are closed.
func TestMissingPageIsALoss(t *testing.T) {
	for name, pages := range map[string][]string{
		"first":   {page(2, true, row("ETH-USDT-SWAP", "50"))},
		"between": {page(1, false, row("BTC-USDT-SWAP", "50")), page(3, true)},
		"repeat":  {page(1, false), page(2, true, row("BTC-USDT-SWAP", "50")), page(2, true)},
	} {
		t.Run(name, func(t *testing.T) {
			_, v, h := private(t, nil)
			h.Await(t, "connection", func() bool { return h.Connections == 1 })
			v.Say(pathPrivate, page(1, true, row("BTC-USDT-SWAP", "50")))
			h.Await(t, "the position", func() bool { return len(h.Positions) == 1 })
			for _, message := range pages {
				v.Say(pathPrivate, message)
			}
			h.Await(t, "loss and return", func() bool { return len(h.Losses) == 1 && h.Connections == 2 })
			h.With(func() {
				if held := heldIn(h, "BTCUSDT"); held != "0.5" {
					t.Errorf("BTC %s", held)
				}
			})
		})
	}
}

// An account told in pages changed once.
func TestPagesOfAnAccountAreOneChange(t *testing.T) {
	_, v, h := private(t, nil)
	h.Await(t, "connection", func() bool { return h.Connections == 1 })
	for _, last := range []string{"false", "true"} {
		v.Say(pathPrivate, strings.Replace(pushOn(channelAccount, `{"details":[]}`), `"data"`, `"eventType":"snapshot","curPage":1,"lastPage":`+last+`,"data"`, 1))
	}
	v.Say(pathPrivate, page(1, true, row("BTC-USDT-SWAP", "50")))
	h.Await(t, "the position", func() bool { return len(h.Positions) == 1 })
	h.With(func() {
		if h.Balances != 1 {
			t.Errorf("%d changes", h.Balances)
		}
	})
}
