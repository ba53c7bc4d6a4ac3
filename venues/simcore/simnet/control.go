package simnet

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gofiber/fiber/v2"

	"venuegate/venues"
	"venuegate/venues/simcore"
)

// NewControlApp returns an application for the control API of a simulated venue. It
// has no authentication: bind it to loopback.
func NewControlApp(control *simcore.Control) *fiber.App {
	app := NewApp()
	app.Get("/ledger", func(c *fiber.Ctx) error { return c.JSON(control.Ledger()) })
	app.Get("/faults", func(c *fiber.Ctx) error { return c.JSON(control.InjectedFaults()) })
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

// answer decodes a request strictly, so that a misspelt field of a script is an
// error, and answers with the response or the error.
func answer[Request, Response any](do func(Request) (Response, error)) fiber.Handler {
	return func(c *fiber.Ctx) error {
		var request Request
		if err := decodeStrictly(c.Body(), &request); err != nil {
			return writeError(c, err)
		}
		response, err := do(request)
		if err != nil {
			return writeError(c, err)
		}
		return c.JSON(response)
	}
}

// decodeStrictly decodes one JSON object, whose members must be known and unique. No
// body counts as an empty object.
func decodeStrictly(body []byte, into any) error {
	if len(bytes.TrimSpace(body)) == 0 {
		return nil
	}
	err := json.Unmarshal(body, into, json.RejectUnknownMembers(true))
	if err == nil {
		return nil
	}
	fault := venues.FieldError{Field: "body", Rule: "malformed", Allowed: "one JSON object"}
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		fault = venues.FieldError{Field: memberName(e.JSONPointer), Rule: "wrong_type"}
		if errors.Is(e, json.ErrUnknownName) {
			fault.Rule = "unknown_name"
		}
	}
	return venues.InvalidFields(fault).Because(err)
}

func memberName(pointer jsontext.Pointer) string {
	if pointer == "" {
		return "body"
	}
	return strings.ReplaceAll(strings.TrimPrefix(string(pointer), "/"), "/", ".")
}

// writeError answers in the error envelope of the service, without its request id.
func writeError(c *fiber.Ctx, err error) error {
	e := serviceError(err)
	status, known := map[venues.Code]int{
		venues.CodeInvalidRequest: fiber.StatusBadRequest, venues.CodeNotFound: fiber.StatusNotFound,
	}[e.Code]
	if !known {
		status = fiber.StatusInternalServerError
	}
	details := e.Details
	if details == nil {
		details = map[string]any{}
	}
	return c.Status(status).JSON(fiber.Map{"error": fiber.Map{"code": e.Code, "message": e.Message, "details": details}})
}

// serviceError converts an error to one of the service. A rejection keeps its reason
// in the details.
func serviceError(err error) *venues.Error {
	if e, ok := errors.AsType[*venues.Error](err); ok {
		return e
	}
	rejection, ok := errors.AsType[*simcore.Rejection](err)
	if !ok {
		return venues.Errorf(venues.CodeInternal, "%v", err)
	}
	code := venues.CodeInvalidRequest
	if rejection.Reason == simcore.ReasonUnknownAccount {
		code = venues.CodeNotFound
	}
	e := venues.Errorf(code, "%v", rejection).With("reason", rejection.Reason)
	if !rejection.Limit.IsZero() {
		e = e.With("limit", venues.FormatDecimal(rejection.Limit))
	}
	return e
}
