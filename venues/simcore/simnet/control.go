package simnet

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"

	"github.com/gofiber/fiber/v2"

	"venuegate/venues/simcore"
)

// NewControlApp serves the control API of a simulated venue. It has no
// authentication: bind it to loopback.
func NewControlApp(control *simcore.Control) *fiber.App {
	app := NewApp()
	app.Get("/ledger", func(c *fiber.Ctx) error { return c.JSON(control.Ledger()) })
	app.Get("/faults", func(c *fiber.Ctx) error { return c.JSON(control.Faults()) })
	app.Post("/faults", answer(control.AddFault))
	app.Delete("/faults", func(c *fiber.Ctx) error { return c.JSON(control.ClearFaults()) })
	app.Post("/market", answer(control.Market))
	app.Post("/market/trade", answer(control.Trade))
	app.Get("/accounts", func(c *fiber.Ctx) error { return c.JSON(control.Accounts()) })
	app.Post("/accounts", answer(control.CreateAccount))
	app.Post("/accounts/:id", func(c *fiber.Ctx) error {
		return answer(func(body simcore.AccountBody) (simcore.AccountPage, error) {
			return control.UpdateAccount(c.Params("id"), body)
		})(c)
	})
	app.Get("/clock", func(c *fiber.Ctx) error { return c.JSON(control.Clock()) })
	app.Post("/clock", answer(func(body simcore.ClockBody) (simcore.ClockPage, error) {
		return control.SetClock(body), nil
	}))
	return app
}

// answer decodes a request strictly, so that a misspelt field of a script is
// noticed, and answers 400 with the mistake.
func answer[Request, Response any](do func(Request) (Response, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		var request Request
		if err := decodeStrictly(c.Body(), &request); err != nil {
			return mistake(c, err)
		}
		response, err := do(request)
		if err != nil {
			return mistake(c, err)
		}
		return c.JSON(response)
	}
}

func decodeStrictly(body []byte, into any) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data after the JSON value")
	}
	return nil
}

func mistake(c *fiber.Ctx, err error) error {
	status := fiber.StatusBadRequest
	var refusal *simcore.Refusal
	if errors.As(err, &refusal) && refusal.Reason == simcore.ReasonUnknownAccount {
		status = fiber.StatusNotFound
	}
	return c.Status(status).JSON(fiber.Map{"error": err.Error()})
}
