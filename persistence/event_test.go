package persistence_test

import (
	"slices"
	"testing"

	"venuegate/persistence"
)

func TestNotificationIsTheOnlyTypeThatIsNotPublic(t *testing.T) {
	public, all := persistence.EndpointWebhook.EventTypes(), persistence.EndpointTelegram.EventTypes()
	if want := append(slices.Clone(public), persistence.EventNotification); !slices.Equal(all, want) {
		t.Errorf("a messaging channel receives %v, want %v", all, want)
	}
	for _, eventType := range all {
		if got, want := eventType.IsPublic(), slices.Contains(public, eventType); got != want {
			t.Errorf("IsPublic of %s = %t, want %t", eventType, got, want)
		}
	}
}

func TestSheetsAndFilesReceiveClosedPositions(t *testing.T) {
	want := []persistence.EventType{persistence.EventPositionClosed}
	for _, kind := range []persistence.EndpointKind{persistence.EndpointSheet, persistence.EndpointFile} {
		if got := kind.EventTypes(); !slices.Equal(got, want) {
			t.Errorf("a %s receives %v, want %v", kind, got, want)
		}
	}
}
