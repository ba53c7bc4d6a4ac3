//go:build chaos

package chaos

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"

	"venuegate/persistence"
	"venuegate/venues"
)

// The model of one request id: at any time at most one order holds it. An order takes
// it, repeats return that order, and it is freed only after it was confirmed that the
// order was not placed.
type idStep struct {
	kind    idStepKind
	orderID string
}

type idStepKind uint8

const (
	idTaken idStepKind = iota
	idSeen
	idFreed
)

var idModel = porcupine.Model{
	Init: func() any { return "" },
	Step: func(state, input, _ any) (bool, any) {
		holder, step := state.(string), input.(idStep)
		switch step.kind {
		case idTaken:
			return holder == "", step.orderID
		case idFreed:
			return holder == step.orderID, ""
		default:
			return holder == step.orderID, holder
		}
	},
}

// linearizableMax bounds the search of one request id's history.
const linearizableMax = 10 * time.Second

// checkHistory returns what is wrong with the responses under one request id, given the
// stored orders with that id, or "".
func checkHistory(calls []op, orders []persistence.OrderRecord) string {
	steps, fault := stepsOf(calls, orders)
	if fault != "" {
		return fault
	}
	if porcupine.CheckOperationsTimeout(idModel, steps, linearizableMax) == porcupine.Illegal {
		return "the responses fit no sequence of events"
	}
	return ""
}

// stepsOf converts calls into steps of the model. An order that is in no response was
// placed by a call without a response, some time after that began.
func stepsOf(calls []op, orders []persistence.OrderRecord) (steps []porcupine.Operation, fault string) {
	step := func(kind idStepKind, orderID string, began, ended int64) {
		steps = append(steps, porcupine.Operation{Input: idStep{kind, orderID}, Call: began, Return: ended})
	}
	took := map[string]op{}
	var unanswered []op
	for _, c := range calls {
		switch {
		case c.outcome == outcomeUnknown:
			unanswered = append(unanswered, c)
		case c.outcome == outcomeDuplicate:
			step(idSeen, c.orderID, c.began, c.ended)
		case c.orderID != "":
			if _, twice := took[c.orderID]; twice {
				return nil, "two calls were acknowledged as placing order " + c.orderID
			}
			took[c.orderID] = c
		}
	}
	for _, o := range orders {
		c, answered := took[o.OrderID]
		switch {
		case answered:
			step(idTaken, o.OrderID, c.began, c.ended)
		case len(unanswered) > 0:
			c = slices.MinFunc(unanswered, func(a, b op) int { return cmp.Compare(a.began, b.began) })
			step(idTaken, o.OrderID, c.began, forever)
		default:
			return nil, fmt.Sprintf("order %s was never requested", o.OrderID)
		}
		if o.Status == venues.StatusRejected {
			step(idFreed, o.OrderID, c.began, forever)
		}
		delete(took, o.OrderID)
	}
	for id := range took {
		return nil, "the store lacks order " + id
	}
	return steps, ""
}
