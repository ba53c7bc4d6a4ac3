package planted_test

import "venuegate/cmd/venuegate/chaos/overlay"

// bug is a possible mistake, and the test that must detect it.
type bug struct {
	name string
	// invariant is the invariant that it violates.
	invariant string
	edits     []overlay.Edit
	catcher   catcher
	// sample bugs are also planted by make test.
	sample bool
}

// catcher is a test and the text that it must print.
type catcher struct {
	pkg   string
	run   string
	says  string
	first string // seed
	seeds string
	// states bounds the states of an exploration.
	states string
}

// seeds bounds the seeds of the simulation within which a bug must be detected.
const seeds = "600"

// simulation returns a catcher that must report a violation of the invariant.
func simulation(invariant string) catcher {
	return catcher{pkg: "actors/simulation", run: "^TestSeeds$", says: invariant + ": ", first: "1", seeds: seeds}
}

// tests returns a catcher of a package's tests, which must fail.
func tests(pkg, run string) catcher { return catcher{pkg: pkg, run: run, says: "--- FAIL: "} }

// exploration returns a catcher of the exploration of the account's states, which must report
// a violation with a text in a scope.
func exploration(says, scope string) catcher {
	return catcher{pkg: "actors/account", run: "^TestExplore$/^" + scope + "$", says: says, states: "300000"}
}

func edit(file, was, is string) overlay.Edit {
	return overlay.Edit{Name: file, File: file, Old: was, New: is}
}

// keepBody is an edit that does not copy the body of a request.
func keepBody(file string) overlay.Edit {
	return edit(file, "bytes.Clone(c.Request().Body())", "bytes.TrimSpace(c.Request().Body())")
}

// viewStrings is an edit with which the strings of a decoded body point into it.
var viewStrings = []overlay.Edit{
	edit("transport/api/body.go", "\t\"unicode/utf8\"\n", "\t\"unicode/utf8\"\n\t\"unsafe\"\n"),
	edit("transport/api/body.go", "parsePlain(string(data), names)", "parsePlain(unsafe.String(unsafe.SliceData(data), len(data)), names)"),
	edit("transport/api/body.go", "\ttoken, ok := b.token()\n\tif ok && (b.kind",
		"\tif b.kind == jsontext.KindString {\n\t\traw, err := b.dec.ReadValue()\n\t\tif err != nil {\n\t\t\tb.malformed(err)\n\t\t\treturn false\n\t\t}\n"+
			"\t\tb.value = unsafe.String(&raw[1], len(raw)-2)\n\t\treturn true\n\t}\n\ttoken, ok := b.token()\n\tif ok && (b.kind"),
	edit("transport/api/body.go", "strings.Clone(b.parseText(b.name(), value, charsMax))", "b.parseText(b.name(), value, charsMax)"),
}

const (
	accountDir  = "actors/account/"
	channelDir  = "actors/channel/"
	deliveryDir = "actors/delivery/"
	rowsDir     = "persistence/internal/rows/"
)

var bugs = []bug{
	{
		name: "an order is sent before its intent is durable", invariant: "I-2", sample: true, catcher: simulation("I-2"),
		edits: []overlay.Edit{edit(accountDir+"actor.go",
			"\tout := a.state.finish(a.context)\n",
			"\tout := a.state.finish(a.context)\n\tout.Now, out.After = append(out.Now, out.After...), nil\n")},
	},
	{
		name: "an order is sent when its intent is written, before it is durable", invariant: "I-2", catcher: simulation("I-2"),
		edits: []overlay.Edit{
			edit("actors/journal/queue.go", "last.delayed = last.delayed && b.Written != nil", "last.delayed = true"),
			edit("actors/journal/queue.go", "\te.isWritten = true\n", "\te.isWritten, e.over = true, true\n"),
		},
	},
	{
		name: "a commit is sent behind one that is neither written nor durable", invariant: "I-6", catcher: tests("actors/journal", "^TestBatchesBehindACommitAreMerged$"),
		edits: []overlay.Edit{edit("actors/journal/queue.go", "if !e.claims() && !e.isWritten {", "if false {")},
	},
	{
		name: "rows reach the database before they are durable in the log", invariant: "I-2", catcher: tests("persistence/badgerstore", "^TestFlushFollowsTheSync$"),
		edits: []overlay.Edit{edit("persistence/badgerstore/writer.go", "if err := w.sync(); err != nil {\n\t\t\t\treturn err\n\t\t\t}\n\t\t\tw.flusher.add", "w.flusher.add")},
	},
	{
		name: "a reader sees what is written and not durable", invariant: "I-8", catcher: tests("persistence/badgerstore", "^TestReaderWaitsForTheSync$"),
		edits: []overlay.Edit{
			edit("persistence/badgerstore/snapshot.go", "views.wait(r.ctx)", "error(nil)"),
			edit("persistence/badgerstore/writer.go", "\tw.written = &tx.ledger\n", "\tw.views.advance(tx.ledger)\n\tw.written = &tx.ledger\n"),
		},
	},
	{
		name: "a request id that is freed is answered before it is durable", invariant: "I-1", catcher: tests("actors/account", "^TestAnswersBeforeTheSync$"),
		edits: []overlay.Edit{
			edit(accountDir+"replies.go", "\t\tdefault:\n\t\t\treturn false\n", ""),
			edit(accountDir+"replies.go", "if r.Error != nil || ", "if "),
		},
	},
	{
		name: "an order is sent again after a time-out", invariant: "I-1", sample: true, catcher: simulation("I-1"),
		edits: []overlay.Edit{edit(accountDir+"effects.go",
			"\t\treport, err := a.deps.Venue.Place(c, e.request)\n",
			"\t\treport, err := a.deps.Venue.Place(c, e.request)\n\t\tif errors.Is(err, venues.ErrOutcomeUnknown) {\n\t\t\treport, err = a.deps.Venue.Place(c, e.request)\n\t\t}\n")},
	},
	{
		name: "the store does not sync what it confirms", invariant: "I-2", catcher: tests("persistence/badgerstore", "^TestConfirmedCommitWasSynced$"),
		edits: []overlay.Edit{edit("persistence/badgerstore/writer.go", "if err := w.log.Sync(); err != nil {", "if err := error(nil); err != nil {")},
	},
	{
		name: "the database is ahead of the rows that were written to it", invariant: "I-2", catcher: tests("persistence/badgerstore", "^TestDatabaseIsNotAheadOfItsRows$"),
		edits: []overlay.Edit{edit("persistence/badgerstore/views.go", "txn.Set(ledgerKey, t.head.encode())", "txn.Set(ledgerKey, v.latest().head.encode())")},
	},
	{
		name: "rows that are not in the database yet are not read", invariant: "I-2", catcher: tests("persistence/badgerstore", "^TestSnapshotsEqualAModel$"),
		edits: []overlay.Edit{edit("persistence/badgerstore/snapshot.go", "for _, t := range s.view.tables {\n\t\tif value", "for _, t := range s.view.tables[:0] {\n\t\tif value")},
	},
	{
		name: "half a record of the log counts", invariant: "I-2", catcher: tests("persistence/internal/wal", "^TestTornTail$"),
		edits: []overlay.Edit{edit("persistence/internal/wal/segment.go", "if at.Sum != binary.BigEndian.Uint32(content[4:]) {", "if false && at.Sum != binary.BigEndian.Uint32(content[4:]) {")},
	},
	{
		name: "the log is trimmed before the database is synced", invariant: "I-2", catcher: tests("persistence/badgerstore", "^TestTrimSyncsTheDatabase$"),
		edits: []overlay.Edit{edit("persistence/badgerstore/flusher.go", "if err := f.sync(f.views.db.Opts().Dir); err != nil {", "if err := error(nil); err != nil {")},
	},
	{
		name: "the store does not look whether a request id is taken", invariant: "I-1", catcher: simulation("I-1"),
		edits: []overlay.Edit{edit(rowsDir+"commit.go", "if err != nil || value == nil {", "if err != nil || value != nil || true {")},
	},
	{
		name: "an unknown outcome is called rejected", invariant: "I-5", sample: true, catcher: simulation("I-5"),
		edits: []overlay.Edit{edit(accountDir+"place.go",
			"\t\ts.markUnknown(step, o)\n\tdefault:\n",
			"\t\ts.notPlaced(step, o, notSent(s.exchange, in.err))\n\tdefault:\n")},
	},
	{
		name: "a request id is freed after some seconds", invariant: "I-1", catcher: simulation("I-1"),
		edits: []overlay.Edit{edit("persistence/idempotency.go",
			"now.Before(r.FirstReceived.Add(IdempotencyWindow))", "now.Before(r.FirstReceived.Add(IdempotencyWindow/20000))")},
	},
	{
		name: "the edge keeps the memory of a request's path, query and headers", invariant: "I-11", catcher: tests("transport/rest", "^TestRetained"),
		edits: []overlay.Edit{edit("transport/rest/server.go", "Immutable:      true,", "Immutable:      false,")},
	},
	{
		name: "the edge keeps the memory of a request's body", invariant: "I-11", catcher: tests("transport/rest", "^TestRetained"),
		edits: []overlay.Edit{keepBody("transport/rest/request.go")},
	},
	{
		name: "a command points into the body that asked for it", invariant: "I-11", catcher: tests("transport/rest", "^TestRetained"),
		edits: append(viewStrings, keepBody("transport/rest/request.go")),
	},
	{
		name: "a signal points into the body that brought it", invariant: "I-11", catcher: tests("transport/hooks", "^TestRetained"),
		edits: append(viewStrings, keepBody("transport/hooks/hooks.go")),
	},
	{
		name: "a topic points into the message that named it", invariant: "I-11", catcher: tests("transport/stream", "^TestRetained"),
		edits: viewStrings,
	},
	{
		name: "the administration keeps a request's memory", invariant: "I-11", catcher: tests("transport/admin", "^TestRetained"),
		edits: []overlay.Edit{edit("transport/admin/server.go", "Immutable: true,", "Immutable: false,")},
	},
	{
		name: "an owner who was replaced still writes", invariant: "I-1", catcher: tests("persistence/storetest", "^TestMemoryConforms$"),
		edits: []overlay.Edit{edit(rowsDir+"commit.go",
			"if c.fence.Epoch != epoch || epoch <= epochFloor(generation) {",
			"if false && (c.fence.Epoch != epoch || epoch <= epochFloor(generation)) {")},
	},
	{
		name: "a freed request id begins its first attempt again", invariant: "I-1", catcher: simulation("quiet"),
		edits: []overlay.Edit{
			edit(accountDir+"client.go", "\t\tattempt = prior.Attempt + 1\n", "\t\tattempt = prior.Attempt\n"),
			edit(accountDir+"client.go", "return prior.Attempt + 1, nil", "return prior.Attempt, nil"),
		},
	},
	{
		name: "the venue executes what comes after its deadline", invariant: "I-3", catcher: simulation("I-3"),
		edits: []overlay.Edit{edit("venues/simcore/place.go",
			"if !request.Deadline.IsZero() && now.After(request.Deadline) {",
			"if false && !request.Deadline.IsZero() && now.After(request.Deadline) {")},
	},
	{
		name: "one response \"not found\" confirms absence", invariant: "I-5", catcher: simulation("I-5"),
		edits: []overlay.Edit{
			edit(accountDir+"statusquery.go",
				"if !o.NotFoundSince.IsZero() && !began.Before(s.absenceCheckFrom(o)) {", "{"),
		},
	},
	{
		name: "a quantity is reported before its fills", invariant: "I-8", catcher: simulation("I-8"),
		edits: []overlay.Edit{edit(accountDir+"fills.go", "\tif o.hold(&r, step.now.Add(fillsHoldMax)) {\n", "\to.FilledQty = r.FilledQty\n\ts.markDirty(o)\n\ts.applyStatus(step, o, r)\n\tif false {\n")},
	},
	{
		name: "a fill that is reported twice counts twice", invariant: "I-8", sample: true, catcher: simulation("I-8"),
		edits: []overlay.Edit{edit(accountDir+"fills.go", "\tif o.fillKeys[position.TradeKey(&f)] {\n", "\tif false && o.fillKeys[position.TradeKey(&f)] {\n")},
	},
	{
		name: "events are committed after their change", invariant: "I-6", catcher: simulation("I-6"),
		edits: []overlay.Edit{edit(accountDir+"actor.go",
			"\tout := a.state.finish(a.context)\n",
			"\tout := a.state.finish(a.context)\n\tif change := out.Batch; len(change.Events) > 0 {\n\t\tchange.Events = nil\n"+
				"\t\tout.Batch = persistence.Batch{Fence: change.Fence, Events: out.Batch.Events}\n"+
				"\t\ta.deps.Journal.Submit(change, func(error) {})\n\t}\n")},
	},
	{
		name: "a store key lacks its customer", invariant: "I-11", catcher: tests("persistence/storetest", "^TestMemoryConforms$"),
		edits: []overlay.Edit{edit(rowsDir+"key.go",
			"make(key, 0, keyBytes).text(customer)", "make(key, 0, keyBytes).text(customer[:0])")},
	},
	{
		name: "a flat position keeps its stops", invariant: "protection", catcher: simulation("protection"),
		edits: []overlay.Edit{
			edit(accountDir+"protection/withdraw.go", "\t\tif o.protects(positionKey) &&", "\t\tif false && o.protects(positionKey) &&"),
			edit(accountDir+"protection/withdraw.go", "!open[key] && o.protects(key)", "false && !open[key] && o.protects(key)"),
		},
	},
	{
		name: "the loss lock is checked when an order is accepted, not when it is sent", invariant: "I-14", catcher: tests("actors/account", "^TestOrderIsNotSentOnceTheAccountIsClosed"),
		edits: []overlay.Edit{edit(accountDir+"effects.go",
			"if rejection := a.state.beginSend(e.orderID, now); rejection != nil {", "if rejection := a.state.beginSend(e.orderID, now); rejection != nil && false {")},
	},
	{
		name: "cancel-all reads the open orders only once", invariant: "I-23", catcher: tests("actors/account", "."),
		edits: []overlay.Edit{edit(accountDir+"cancelall.go",
			"listReadsMax = 2\n", "listReadsMax = 1\n")},
	},
	{
		name: "a stream without messages is trusted", invariant: "I-8", catcher: simulation("I-8"),
		edits: []overlay.Edit{edit(accountDir+"reconcile.go", "\ts.handleFills(step, in.fills)\n\tfor _, l := range in.notInMemory {", "\tin.open, in.notInMemory = nil, nil\n\tfor _, l := range in.notInMemory {")},
	},
	{
		name: "an order that has ended is revived by a late report", invariant: "I-8", catcher: simulation("I-8"),
		edits: []overlay.Edit{
			edit(accountDir+"report.go", "if o.Status.IsClosed() || (", "if ("),
			edit(accountDir+"report.go", "if next == venues.StatusPending || !o.Status.CanBecome(next) {", "if next == venues.StatusPending {"),
		},
	},
	{
		name: "a symbol's fills are read from the next reconciliation on", invariant: "I-8", catcher: tests("actors/account", "^TestFillsOfASymbol"),
		edits: []overlay.Edit{edit(accountDir+"order.go", "\t\ts.storeMarks()\n", "")},
	},
	{
		name: "a delivery is signed with the time of its event", invariant: "I-7", catcher: simulation("I-7"),
		edits: []overlay.Edit{edit(deliveryDir+"effects.go",
			"d.deps.Sender.Send(ctx, d.deps.Endpoint, e, attempt, at)", "d.deps.Sender.Send(ctx, d.deps.Endpoint, e, attempt, e.CreatedAt.Time)")},
	},
	{
		name: "a failed delivery is retried too early", invariant: "I-7", catcher: simulation("I-7"),
		edits: []overlay.Edit{edit(deliveryDir+"schedule.go",
			"ended.Add(max(delay, min(retryAfter, RetryAfterMax)))", "ended.Add(max(delay/2, min(retryAfter, RetryAfterMax)))")},
	},
	{
		name: "a route requires another scope", invariant: "I-12", catcher: tests("transport/rest", "^TestScopeMatrix$"),
		edits: []overlay.Edit{edit("transport/auth/authenticator.go",
			"{ return slices.Contains(p.Scopes, scope) }", "{ return slices.Contains(p.Scopes, scope) || scope == persistence.ScopeRead }")},
	},
	{
		name: "a channel's limit does not see what is in flight", invariant: "I-13", sample: true, catcher: simulation("I-13"),
		edits: []overlay.Edit{edit(accountDir+"risk/admit.go",
			"own.Add(InFlight(a, cmd.Symbol, cmd.Side)).Add(cmd.Qty)", "own.Add(cmd.Qty)")},
	},
	{
		name: "a channel in test mode trades", invariant: "I-15", catcher: simulation("I-15"),
		edits: []overlay.Edit{
			edit("actors/root/channels.go", "\tif record.TestMode {\n", "\tif false && record.TestMode {\n"),
			edit(channelDir+"plan.go", "\tcase t.Test || s.channel.TestMode:\n", "\tcase false && (t.Test || s.channel.TestMode):\n"),
			edit(channelDir+"plan.go", "\tif s.channel.TestMode {\n", "\tif false && s.channel.TestMode {\n"),
		},
	},
	{
		name: "a repeated signal is a new one", invariant: "I-16", catcher: simulation("I-16"),
		edits: []overlay.Edit{
			edit(channelDir+"state.go", "\ts.claim(t)\n", ""),
			edit(channelDir+"effects.go", "Scope: stepOpen.scope(s.ChannelID), BodyHash", "Scope: stepOpen.scope(s.ChannelID) + e.id, BodyHash"),
		},
	},
	{
		name: "a key may send one request more than its limit", invariant: "I-21", catcher: tests("transport/auth", "^TestConcurrentRequestsAreCountedOnce$"),
		edits: []overlay.Edit{edit("transport/auth/limiter.go", "\tif len(w.hits) < limit {\n", "\tif len(w.hits) <= limit {\n")},
	},
	{
		name: "no alert for an unprotected fill", invariant: "alarm", catcher: simulation("alarm"),
		edits: []overlay.Edit{edit(accountDir+"protection/closing.go",
			"b.unprotectedSince.Add(k.Rules.Policy.CloseAfter)\n\t\tk.alarmUnprotected(o)\n", "b.unprotectedSince.Add(k.Rules.Policy.CloseAfter)\n")},
	},
	{
		name: "in hedge mode a sale closes the long position first", invariant: "positions", catcher: simulation("positions"),
		edits: []overlay.Edit{edit(accountDir+"position/netting.go", "\tif e.PositionSide != \"\" {\n", "\tif false && e.PositionSide != \"\" {\n")},
	},
	{
		name: "executions of one millisecond are sorted by name", invariant: "positions", catcher: simulation("positions"),
		edits: []overlay.Edit{edit(accountDir+"position/execution.go",
			"\ttrade, order, _ := strings.Cut(k.Trade, \"/\")\n\totherTrade, otherOrder, _ := strings.Cut(other.Trade, \"/\")\n",
			"\ttrade, order, _ := strings.Cut(k.Trade, \"|\")\n\totherTrade, otherOrder, _ := strings.Cut(other.Trade, \"|\")\n")},
	},
	{
		name: "an execution counts again when its order is reported", invariant: "positions", catcher: tests("actors/account", "CountsOnce$"),
		edits: []overlay.Edit{edit(accountDir+"position/unattributed.go", "\tif !held {\n\t\treturn persistence.FillRecord{}, false\n", "\tif !held || true {\n\t\treturn persistence.FillRecord{}, false\n")},
	},
	{
		name: "a completed halt runs again", invariant: "halt", catcher: tests("actors/account", "^TestFinishedHalt"),
		edits: []overlay.Edit{edit(accountDir+"halt.go", "\t\ts.risk.SetHaltDone(s.forRisk(step), s.halt.orderedAt)\n", "")},
	},
	{
		name: "a repeated close report closes the next position", invariant: "positions", catcher: tests("actors/account", "^TestReportOfAKnownClose"),
		edits: []overlay.Edit{edit(accountDir+"position/reported.go", "\tif closed.wasFlat || OpenQty(before", "\tif false || OpenQty(before")},
	},
	{
		name: "a small scope: an order of unknown outcome is sent again", invariant: "I-1", catcher: exploration("is sent twice", "immediate,_one_loss"),
		edits: []overlay.Edit{edit(accountDir+"place.go",
			"\t\ts.markUnknown(step, o)\n\tdefault:\n", "\t\ts.markUnknown(step, o)\n\t\ts.after(callPlace{orderID: o.OrderID, request: o.request()})\n\tdefault:\n")},
	},
	{
		name: "a small scope: an order is sent before its intent is durable", invariant: "I-2", catcher: exploration("is sent before its intent is durable", "the_venue_cancels"),
		edits: []overlay.Edit{edit(accountDir+"finish.go",
			"\ts.out = output{}\n\treturn out\n", "\ts.out = output{}\n\tfor i, e := range out.After {\n\t\tif _, is := e.(callPlace); is {\n"+
				"\t\t\tout.Now, out.After = append(out.Now, e), append(out.After[:i:i], out.After[i+1:]...)\n\t\t\tbreak\n\t\t}\n\t}\n\treturn out\n")},
	},
	{
		name: "a small scope: an order is sent when its intent is written", invariant: "I-2", catcher: exploration("before", "the_venue_cancels"),
		edits: []overlay.Edit{
			edit("actors/journal/queue.go", "last.delayed = last.delayed && b.Written != nil", "last.delayed = true"),
			edit("actors/journal/queue.go", "\te.isWritten = true\n", "\te.isWritten, e.over = true, true\n"),
		},
	},
	{
		name: "a small scope: two orders take one request id", invariant: "I-1", catcher: exploration("have one request id", "repeated"),
		edits: []overlay.Edit{edit(accountDir+"place.go", "\ts.out.Batch.Absent = append(s.out.Batch.Absent, record.Key())\n", "")},
	},
	{
		name: "a small scope: a request id is free while the outcome is unknown", invariant: "I-1", catcher: exploration("r0 is free: true", "immediate,_one_loss"),
		edits: []overlay.Edit{edit(accountDir+"place.go",
			"\t\ts.markUnknown(step, o)\n\tdefault:\n", "\t\ts.markUnknown(step, o)\n\t\tif o.claim != nil {\n\t\t\ts.freeRequestID(step, o)\n\t\t}\n\tdefault:\n")},
	},
	{
		name: "a small scope: one response \"not found\" confirms absence", invariant: "I-5", catcher: exploration("with 0 filled", "immediate,_one_loss"),
		edits: []overlay.Edit{
			edit(accountDir+"statusquery.go", "if !o.NotFoundSince.IsZero() && !began.Before(s.absenceCheckFrom(o)) {", "{"),
		},
	},
	{
		name: "a small scope: absence is confirmed before the venue lists the order", invariant: "I-5", catcher: exploration("with 0 filled", "late_lists"),
		edits: []overlay.Edit{
			edit(accountDir+"statusquery.go", "from := o.Deadline.Add(s.caps.AbsenceAfter)", "from := o.Deadline.Time"),
		},
	},
	{
		name: "a small scope: an answer that only a step has is given before it is durable", invariant: "I-5", catcher: exploration("is answered as cancelled", "immediate,_one_crash"),
		edits: []overlay.Edit{
			edit(accountDir+"replies.go", "if r.Error != nil || ", "if "),
		},
	},
	{
		name: "a small scope: an order is answered before the answer is written", invariant: "I-2", catcher: exploration("and written as pending", "the_venue_cancels"),
		edits: []overlay.Edit{edit(accountDir+"finish.go", "\t\ts.after(replies[i])\n", "\t\ts.out.Now = append(s.out.Now, replies[i])\n")},
	},
	{
		name: "a small scope: an order is published before it is durable", invariant: "I-6", catcher: exploration("an order is published before it is durable", "the_venue_cancels"),
		edits: []overlay.Edit{edit(accountDir+"finish.go", "\t\t\ts.after(publishOrder{o.stored})\n", "\t\t\ts.out.Now = append(s.out.Now, publishOrder{o.stored})\n")},
	},
	{
		name: "a small scope: merged commits lose their events", invariant: "I-6", catcher: exploration("events that it is filled, want 1", "the_venue_cancels"),
		edits: []overlay.Edit{edit("actors/journal/queue.go", "\te.batch.Events = append(e.batch.Events, b.Events...)\n", "")},
	},
	{
		name: "a small scope: the outcome of a stored intent is not queried", invariant: "quiet", catcher: exploration("never settle", "immediate,_one_crash"),
		edits: []overlay.Edit{edit(accountDir+"reconcile.go", "\t\tif o.Status == venues.StatusPending {\n\t\t\ts.markUnknown(step, o)\n", "\t\tif false && o.Status == venues.StatusPending {\n\t\t\ts.markUnknown(step, o)\n")},
	},
	{
		name: "a small scope: a late report revives an order", invariant: "I-8", catcher: exploration("was cancelled and becomes open", "the_venue_cancels"),
		edits: []overlay.Edit{
			edit(accountDir+"report.go", "if o.Status.IsClosed() || (", "if ("),
			edit(accountDir+"report.go", "if next == venues.StatusPending || !o.Status.CanBecome(next) {", "if next == venues.StatusPending {"),
		},
	},
}
