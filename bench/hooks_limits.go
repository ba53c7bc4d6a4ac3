package bench

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/gofiber/fiber/v2"
	"github.com/valyala/fastjson"

	"venuegate/transport/hooks"
)

// bareSignal and bareAnswer are a signal and its response as plain structs.
type bareSignal struct {
	Action    string `json:"action"`
	Exchange  string `json:"exchange"`
	Symbol    string `json:"symbol"`
	Side      string `json:"side"`
	Qty       string `json:"qty"`
	StopLoss  string `json:"stopLoss"`
	RequestID string `json:"requestId"`
	Comment   string `json:"comment"`
}

type bareAnswer struct {
	Accepted  bool    `json:"accepted"`
	Duplicate bool    `json:"duplicate"`
	RequestID string  `json:"requestId"`
	OrderID   *string `json:"orderId"`
	Status    string  `json:"status"`
	FilledQty string  `json:"filledQty"`
	AvgPrice  *string `json:"avgPrice"`
}

// openBareHook opens the limit: the router, one object decoded by a fast parser, one
// response.
func openBareHook(context.Context) (*hookServer, error) {
	var parsers fastjson.ParserPool
	app := hookApp()
	app.Post(hooks.WebhookPath, func(c *fiber.Ctx) error {
		parser := parsers.Get()
		defer parsers.Put(parser)
		object, err := parser.ParseBytes(c.Body())
		if err != nil {
			return err
		}
		text := func(name string) string { return string(object.GetStringBytes(name)) }
		in := bareSignal{
			Action: text("action"), Exchange: text("exchange"), Symbol: text("symbol"), Side: text("side"),
			Qty: text("qty"), StopLoss: text("stopLoss"), RequestID: text("requestId"), Comment: text("comment"),
		}
		answer := append([]byte(`{"accepted":true,"duplicate":false,"requestId":"`), in.RequestID...)
		answer = append(answer, `","orderId":null,"status":"test","filledQty":"0","avgPrice":null}`...)
		c.Set(fiber.HeaderContentType, fiber.MIMEApplicationJSON)
		return c.Status(http.StatusAccepted).Send(answer)
	})
	return serveHook(app, func() error { return nil })
}

// openStandardHook opens the same with the standard library.
func openStandardHook(ctx context.Context) (*hookServer, error) {
	listener, err := listenLocal(ctx)
	if err != nil {
		return nil, err
	}
	server := &http.Server{ReadHeaderTimeout: hookAnswerMax, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in bareSignal
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusAccepted)
		_ = json.NewEncoder(w).Encode(bareAnswer{Accepted: true, RequestID: in.RequestID, Status: "test", FilledQty: "0"})
	})}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	return &hookServer{url: "http://" + listener.Addr().String() + "/", close: func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			return err
		}
		if err := <-served; !errors.Is(err, http.ErrServerClosed) {
			return err
		}
		return nil
	}}, nil
}
