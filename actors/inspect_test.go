package actors_test

import (
	"testing"
	"time"

	"venuegate/actors"
	"venuegate/actors/actortest"
)

// The counters of an actor survive a restart; its start is that of the new incarnation, and
// the failure is among the newest.
func TestActorsFollowARestart(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		child := actors.Child{Name: "book/1", Restart: actors.Transient, Producer: as(script{receive: obey(nil)}), MailboxMax: 7}
		ref := k.Start(actors.Child{Name: "venue/okx", Producer: as(script{receive: obey(nil)})})
		var started actors.Ref
		if err := inside(k, ref, func(ctx *actors.Context) { started, _ = ctx.Children().Start(child) }); err != nil {
			k.T.Fatal(err)
		}
		k.Advance(time.Minute)
		before := k.System.Actors()
		if len(before) != 2 || before[1].Path != "venue/okx/book/1" || before[1].Parent != "venue/okx" || before[0].Parent != "" {
			k.T.Fatalf("actors = %+v, want venue/okx and its child book/1", before)
		}
		if err := inside(k, started, boom); err == nil {
			k.T.Error("the request of the failed actor has no error, want one")
		}
		k.Advance(time.Minute)
		after := k.System.Actors()[1]
		if after.Kind != "book" || after.Actors != 1 || after.WaitingMax != 7 || after.Failures != 1 || after.Restarts != 1 {
			k.T.Errorf("actor = %+v, want book, running, 7 waiting at most, 1 failure, 1 restart", after)
		}
		if !after.CreatedAt.Equal(before[1].CreatedAt) || !after.StartedAt.After(before[1].StartedAt.Add(50*time.Second)) {
			k.T.Errorf("created at %v, started at %v; want created at %v, and started a minute later than %v", after.CreatedAt, after.StartedAt, before[1].CreatedAt, before[1].StartedAt)
		}
		failures := k.System.Incidents().Failures
		if len(failures) != 1 || failures[0].Path != "venue/okx/book/1" || failures[0].Text != errBoom.Error() {
			k.T.Errorf("failures = %+v, want one of venue/okx/book/1: %v", failures, errBoom)
		}
	}, actortest.ExpectFailures())
}

// Only the newest incidents are kept, the newest first.
func TestIncidentsAreBounded(t *testing.T) {
	actortest.Run(t, func(k *actortest.Kit) {
		for range 150 {
			k.System.Ref("nobody").Tell(&plain{})
		}
		k.System.Ref("last").Tell(&plain{})
		letters := k.System.Incidents().DeadLetters
		if len(letters) != 100 || letters[0].Path != "last" || letters[0].Text != "*actors_test.plain" || letters[1].Path != "nobody" {
			k.T.Errorf("%d letters, the newest %+v; want 100, the newest to last", len(letters), letters[:min(2, len(letters))])
		}
	})
}
