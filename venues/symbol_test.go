package venues_test

import (
	"testing"

	"venuegate/venues"
)

func TestNormalizeSymbol(t *testing.T) {
	for given, want := range map[string]string{
		"BTCUSDT": "BTCUSDT", "btcusdt": "BTCUSDT", "BTC-USDT-SWAP": "BTCUSDT", "BTCUSDT.P": "BTCUSDT",
		"BINANCE:BTCUSDT.P": "BTCUSDT", "BTC/USDT:USDT": "BTCUSDT", "BTC/USDT:USDT-260925": "BTCUSDT-260925",
		"BTCUSDT_260925": "BTCUSDT-260925", "BTCUSDT-260925": "BTCUSDT-260925", "BTC-USDT-260925": "BTCUSDT-260925",
		"1000PEPEUSDT": "1000PEPEUSDT", "币安人生USDT": "币安人生USDT",
		"": "", "BTC USDT": "", "BTC\x00": "", "<script>": "", `BTC"`: "",
	} {
		if got := venues.NormalizeSymbol(given); got != want {
			t.Errorf("NormalizeSymbol(%q) = %q, want %q", given, got, want)
		}
	}
}

func FuzzNormalizeSymbol(f *testing.F) {
	f.Add("BTC/USDT:USDT-260925")
	f.Add("A:B:C")
	f.Fuzz(func(t *testing.T, text string) {
		once := venues.NormalizeSymbol(text)
		if twice := venues.NormalizeSymbol(once); twice != once && once != "" {
			t.Fatalf("NormalizeSymbol(%q) = %q, and of that %q, want no change", text, once, twice)
		}
	})
}

func TestTopicsRoundTrip(t *testing.T) {
	for _, name := range []string{
		"orders", "positions", "account", "trades:binance:BTCUSDT", "book:okx:BTCUSDT:200", "kline:bybit:BTCUSDT-260925:1m",
	} {
		topic, ok := venues.ParseTopic(name)
		if !ok || topic.String() != name {
			t.Errorf("ParseTopic(%s) = %v, %t, want the same name", name, topic, ok)
		}
	}
	for alias, want := range map[string]string{
		"book:binance:BTC/USDT:USDT:20":    "book:binance:BTCUSDT:20",
		"trades:binance:btcusdt":           "trades:binance:BTCUSDT",
		"kline:okx:BTC-USDT-SWAP:1h":       "kline:okx:BTCUSDT:1h",
		"trades:binance:BINANCE:BTCUSDT.P": "trades:binance:BTCUSDT",
	} {
		if topic, ok := venues.ParseTopic(alias); !ok || topic.String() != want {
			t.Errorf("ParseTopic(%s) = %v, %t, want %s", alias, topic, ok, want)
		}
	}
	for _, bad := range []string{
		"", "book", "book:binance:BTCUSDT", "book:binance:BTCUSDT:21", "book:binance:BTCUSDT:020", "book:kraken:BTCUSDT:20",
		"kline:okx:BTCUSDT:7m", "trades:binance:", "Orders", "trades::BTCUSDT", "book:binance::20",
	} {
		if topic, ok := venues.ParseTopic(bad); ok {
			t.Errorf("ParseTopic(%q) = %v, want none", bad, topic)
		}
	}
}

func FuzzParseTopic(f *testing.F) {
	f.Add("book:binance:BTCUSDT:20")
	f.Add("kline:okx:BTC/USDT:USDT:1m")
	f.Fuzz(func(t *testing.T, text string) {
		topic, ok := venues.ParseTopic(text)
		if !ok {
			return
		}
		if again, ok := venues.ParseTopic(topic.String()); !ok || again != topic {
			t.Fatalf("ParseTopic(%q) = %v, and of its name %q %v %t, want the same", text, topic, topic, again, ok)
		}
	})
}
