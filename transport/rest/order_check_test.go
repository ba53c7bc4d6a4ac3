package rest_test

import (
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"venuegate/persistence"
	"venuegate/venues"
)

const checkPath = "/v1/orders/check"

// A check passes the command of the order to the trader.
func TestOrderCheckBuildsTheCommandOfTheOrder(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	var commands [2]venues.PlaceOrder
	for i, c := range []struct {
		path   string
		status int
	}{{"/v1/orders", http.StatusCreated}, {checkPath, http.StatusOK}} {
		w.do(http.MethodPost, c.path, key, marketOrder).want(c.status)
		commands[i], _ = w.trader.last().(venues.PlaceOrder)
		commands[i].ID, commands[i].Hops, commands[i].Deadline, commands[i].Origin = "", nil, time.Time{}, venues.Origin{}
	}
	if !reflect.DeepEqual(commands[0], commands[1]) {
		t.Errorf("command of the check = %+v, want that of the order %+v", commands[1], commands[0])
	}
}

// Faults that the order is answered 400 with are in the result, and a body that cannot be read
// is 400. Neither reaches the trader.
func TestFaultsOfACheckedBody(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	for _, body := range []string{"", "{", "[]", marketOrder + "x", `{"qty":"1","qty":"2"}`} {
		placed := w.do(http.MethodPost, "/v1/orders", key, body).want(http.StatusBadRequest, venues.CodeInvalidRequest)
		w.do(http.MethodPost, checkPath, key, body).wantFieldErrors(placed.fieldErrors()...)
	}
	for _, body := range []string{
		"{}",
		`{"exchange":"nowhere","symbol":"!","side":"up","type":"x","qty":"-1"}`,
		strings.Replace(marketOrder, `"qty":"0.5"`, `"qty":"5e-1","QTY":"1","price":"1","postOnly":true`, 1),
	} {
		placed := w.do(http.MethodPost, "/v1/orders", key, body).want(http.StatusBadRequest, venues.CodeInvalidRequest)
		checked := w.do(http.MethodPost, checkPath, key, body).want(http.StatusOK).object()
		if got, want := checked["faults"], placed.error().Details["fields"]; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: faults = %v, want %v", body, got, want)
		}
		if checked["ok"] != false || checked["order"] != nil {
			t.Errorf("%s: checked = %v, want neither ok nor an order", body, checked)
		}
	}
	if len(w.trader.commands) > 0 {
		t.Errorf("commands = %v, want none", w.trader.commands)
	}
}

func TestErrorsOfACheck(t *testing.T) {
	w := newWorld(t)
	withOrder(w)
	key := w.key("cus_1", persistence.ScopeTrade)
	w.trader.err = venues.Errorf(venues.CodeMaintenance, "the account is starting")
	w.do(http.MethodPost, checkPath, key, marketOrder).want(http.StatusServiceUnavailable, venues.CodeMaintenance)
	w.trader.err = venues.Errorf(venues.CodeNotFound, "no bybit account is connected")
	w.do(http.MethodPost, checkPath, key, marketOrder).want(http.StatusNotFound, venues.CodeNotFound)
}
