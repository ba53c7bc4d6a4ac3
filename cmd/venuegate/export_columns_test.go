package main

import (
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json"

	"venuegate/transport/api"
	"venuegate/transport/registry"
	"venuegate/venues"
)

// schemaOfColumn returns the name of the schema of a column in the OpenAPI document; "" if it
// has none.
func schemaOfColumn(record *openapi3.Schema, column string) string {
	name, inner, nested := strings.Cut(column, ".")
	member := record.Properties[name]
	if nested {
		for _, option := range append(member.Value.OneOf, append(member.Value.AnyOf, member)...) {
			if len(option.Value.Properties) > 0 {
				return schemaOfColumn(option.Value, inner)
			}
		}
	}
	return member.Ref[strings.LastIndexByte(member.Ref, '/')+1:]
}

// Every decimal of the interface is a number column, every time a time column, and no other.
func TestKindsOfColumns(t *testing.T) {
	doc, err := openapi3.NewLoader().LoadFromData(api.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	kinds := map[string]columnKind{"Decimal": columnNumber, "NullableDecimal": columnNumber, "Time": columnTime, "NullableTime": columnTime}
	leg := &venues.ProtectionLeg{}
	for name, sample := range map[string][]byte{
		"Order": api.AppendOrder(nil, &venues.Order{Protection: &venues.Protection{StopLoss: leg, TakeProfit: leg}, Error: &venues.RejectReason{}}),
		"Fill":  api.AppendFill(nil, &venues.Fill{}),
	} {
		columns, err := columnsOf(sample)
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range columns {
			schema := schemaOfColumn(doc.Components.Schemas[name].Value, column)
			if got, want := kindOfColumn(column), kinds[schema]; got != want {
				t.Errorf("%s.%s: kind %d, want %d as %q", name, column, got, want, schema)
			}
		}
	}
}

func TestKindsOfTradeColumns(t *testing.T) {
	text, at := "1", venues.At(time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC))
	sample, err := json.Marshal(registry.Trade{
		Qty: text, EntryPrice: &text, ExitPrice: &text, RealizedPnl: &text, Fee: &text, HeldSeconds: &text,
		OpenedAt: at, ClosedAt: at,
	})
	if err != nil {
		t.Fatal(err)
	}
	flat, err := flatten(sample)
	if err != nil {
		t.Fatal(err)
	}
	for _, column := range flat.columns {
		want := columnText
		switch value := flat.of[column].String(); {
		case value == text:
			want = columnNumber
		case strings.HasPrefix(value, "2026"):
			want = columnTime
		}
		if got := kindOfColumn(column); got != want {
			t.Errorf("%s: kind %d, want %d", column, got, want)
		}
	}
}
