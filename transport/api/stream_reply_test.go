package api_test

import (
	"testing"

	"venuegate/transport/api"
	"venuegate/venues"
)

func TestStreamReplies(t *testing.T) {
	rejected := []api.StreamRejection{
		{Topic: "account", Code: api.StreamScopeRequired, Message: "the key lacks the scope account", Reason: venues.CodeScopeRequired},
		{Topic: `book:"x"`, Code: api.StreamUnknownTopic, Message: "no such channel", Reason: venues.CodeNotFound},
	}
	wantJSON(t, api.AppendWelcome(nil, "conn_1", timestamp),
		`{"op":"welcome","connId":"conn_1","serverTime":"2026-11-20T09:19:00.123Z","pingSec":20,"maxChannels":200}`)
	wantJSON(t, api.AppendAuthReply(nil, "", []string{"read", "account"}), `{"op":"auth","ok":true,"scopes":["read","account"]}`)
	wantJSON(t, api.AppendAuthReply(nil, "3", nil), `{"op":"auth","id":3,"ok":true,"scopes":[]}`)
	wantJSON(t, api.AppendTopicsReply(nil, api.OpSubscribe, `"s"`, []string{"orders"}, rejected),
		`{"op":"subscribe","id":"s","ok":true,"channels":["orders"],"rejected":[
			{"channel":"account","code":4003,"message":"the key lacks the scope account","reason":"scope_required"},
			{"channel":"book:\"x\"","code":4004,"message":"no such channel","reason":"not_found"}]}`)
	wantJSON(t, api.AppendTopicsReply(nil, api.OpUnsubscribe, "", nil, nil), `{"op":"unsubscribe","ok":true,"channels":[],"rejected":[]}`)
	wantJSON(t, api.AppendPong(nil, `"p"`, timestamp), `{"op":"pong","id":"p","serverTime":"2026-11-20T09:19:00.123Z"}`)
	wantJSON(t, api.AppendStreamError(nil, "1", api.StreamLimit, "too many channels", map[string]any{"limit": 200, "have": 199}),
		`{"op":"error","id":1,"code":4029,"message":"too many channels","details":{"have":199,"limit":200}}`)
	wantJSON(t, api.AppendStreamError(nil, "", api.StreamBadMessage, "m", nil), `{"op":"error","code":4000,"message":"m","details":{}}`)
}

func TestPrivateTopicMessages(t *testing.T) {
	head := func(topic string, kind venues.MessageType) venues.MessageHead {
		return venues.MessageHead{Topic: topic, Type: kind, Seq: 4, Time: timestamp}
	}
	encode := api.StreamEncoder{}
	order := fullOrder()
	position := venues.Position{Exchange: venues.OKX, Symbol: "BTCUSDT", Side: venues.Long, Reason: venues.ClosedManual}
	balance := venues.Balance{Exchange: venues.Bybit, AccountType: "unified", Currency: "USDT"}
	const prefix = `","seq":4,"ts":"2026-11-20T09:19:00.123Z","venueTs":null,"data":`

	for _, tt := range []struct{ got, want string }{
		{
			string(encode.AppendOrders(nil, &venues.OrdersMessage{MessageHead: head("orders", venues.MessageUpdate), Orders: []venues.Order{order}})),
			`{"channel":"orders","type":"update` + prefix + string(api.AppendOrder(nil, &order)) + `}`,
		},
		{
			string(encode.AppendOrders(nil, &venues.OrdersMessage{MessageHead: head("orders", venues.MessageSnapshot), Orders: []venues.Order{order, order}})),
			`{"channel":"orders","type":"snapshot` + prefix + `[` + string(api.AppendOrder(nil, &order)) + `,` + string(api.AppendOrder(nil, &order)) + `]}`,
		},
		{
			string(encode.AppendPositions(nil, &venues.PositionsMessage{MessageHead: head("positions", venues.MessageSnapshot)})),
			`{"channel":"positions","type":"snapshot` + prefix + `[]}`,
		},
		{
			string(encode.AppendPositions(nil, &venues.PositionsMessage{MessageHead: head("positions", venues.MessageUpdate), Positions: []venues.Position{position}})),
			`{"channel":"positions","type":"update` + prefix + string(api.AppendPosition(nil, &position)) + `}`,
		},
		{
			string(encode.AppendAccount(nil, &venues.AccountMessage{MessageHead: head("account", venues.MessageUpdate), Balances: []venues.Balance{balance}})),
			`{"channel":"account","type":"update` + prefix + string(api.AppendBalance(nil, &balance)) + `}`,
		},
	} {
		wantJSON(t, []byte(tt.got), tt.want)
	}
}

func TestStreamCodes(t *testing.T) {
	want := map[api.StreamCode]bool{4000: true, 4001: true, 4003: false, 4004: false, 4008: true, 4009: true, 4010: true, 4012: true, 4029: false}
	if got := api.StreamCodes(); len(got) != len(want) {
		t.Fatalf("codes = %v, want %v", got, want)
	}
	for code, closes := range want {
		if code.Closes() != closes || code.String() == "unknown" {
			t.Errorf("code %d: closes %v, reason %q, want %v and a reason", code, code.Closes(), code, closes)
		}
	}
	if unknown := api.StreamCode(1000); unknown.Closes() || unknown.String() != "unknown" {
		t.Errorf("code 1000: closes %v, reason %q, want false and unknown", unknown.Closes(), unknown)
	}
}
