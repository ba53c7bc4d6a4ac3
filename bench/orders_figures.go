package bench

// ordersMeasured is the results of the rounds of a setting.
type ordersMeasured struct {
	// direct goes straight to the venue, forward through a server that only forwards,
	// floor through the floor program, memory and disk through a service with its store
	// there. floorDisk is the floor program with a log on the disk, sync a sync of the
	// bytes of one commit. Those of the disk are not measured on one core.
	direct, forward, floor, memory, floorDisk, disk, sync orderRounds
	// ccxt goes straight to the venue, node through the service with its store in
	// memory; missing is the reason if CCXT is not installed.
	ccxt, node       orderRounds
	release, missing string
	// cost and floorCost are measured on one core.
	cost, floorCost orderCost
}

const (
	ofForward = "limit: the forward"
	ofFloor   = "limit: the floor program"
	ofSync    = "limit: in memory and one sync"
)

// figures returns the figures of a setting with their goals.
func (m *ordersMeasured) figures(setting orderSetting) []Figure {
	list := m.routing(setting)
	if setting.durable() {
		list = append(list, m.durable(setting)...)
	}
	list = append(list, m.peers(setting)...)
	for i := range list {
		list[i].Group = setting.name
	}
	if setting.oneCore {
		list = append(list, m.costs(setting)...)
	}
	return list
}

// routing returns the times of the service without the disk.
func (m *ordersMeasured) routing(setting orderSetting) []Figure {
	list := []Figure{
		m.addedTo("in memory, added p50, against the floor", m.memory, m.floor, "limit: added by the floor program"),
		m.addedTo("in memory, added p50, against a forward", m.memory, m.forward, "limit: added by a forward"),
	}
	switch {
	case setting.oneCore:
		list[0].Goal = "<= 2.5, stretch 1.5; " + list[0].Goal
		list = append([]Figure{
			timed("forward, p50", m.forward.p50, m.direct.p50, "limit: straight to the venue"),
			timed("floor program, p50", m.floor.p50, m.forward.p50, ofForward),
		}, list...)
		fallthrough
	case setting.clients == 1:
		return append(list,
			timed("in memory, p99, against the floor", m.memory.p99, m.floor.p99, ofFloor),
			timed("in memory, p99, against a forward", m.memory.p99, m.forward.p99, ofForward))
	}
	toForward := rated("in memory, against a forward", m.memory, m.forward, ofForward)
	if setting.clients == orderAccounts {
		toForward.Goal = ">= 0.60, stretch 0.75; " + toForward.Goal
	}
	return append(list, rated("in memory, against the floor", m.memory, m.floor, ofFloor), toForward)
}

// durable returns the times of the service with the disk.
func (m *ordersMeasured) durable(setting orderSetting) []Figure {
	list := []Figure{
		{Name: "durable, p50", Ours: spreadOf(m.disk.p50), Limit: sum(m.memory.p50, m.sync.p50), Unit: "µs", Goal: ofSync},
		{Name: "durable, p99", Ours: spreadOf(m.disk.p99), Limit: sum(m.memory.p99, m.sync.p99), Unit: "µs", Goal: ofSync},
		timed("durable, p50, against the floor", m.disk.p50, m.floorDisk.p50, "limit: the floor program, which syncs twice"),
	}
	if setting.clients > 1 {
		return append(list,
			rated("durable, against in memory", m.disk, m.memory, "limit: in memory"),
			rated("durable, against the floor", m.disk, m.floorDisk, ofFloor))
	}
	list[0].Goal = "<= 1.15, stretch 1.05; " + ofSync
	return append(list,
		Figure{Name: "durable, less in memory, p50", Ours: added(m.disk.p50, m.memory.p50), Limit: spreadOf(m.sync.p50), Unit: "µs", Goal: "limit: one sync; the service makes two commits"},
		timed("durable, processor time of an order", m.disk.busy, m.memory.busy, "limit: in memory"))
}

// peers returns the comparisons with CCXT, which goes straight to the venue and is
// never durable.
func (m *ordersMeasured) peers(setting orderSetting) []Figure {
	if m.missing != "" {
		return []Figure{{Name: "against CCXT", Missing: m.missing}}
	}
	against := ", against CCXT " + m.release
	p50 := func(name string, ours orderRounds, goal string) Figure {
		return timed(name+", p50"+against, ours.p50, m.ccxt.p50, goal)
	}
	switch {
	case setting.oneCore:
		return []Figure{
			p50("in memory", m.memory, "<= 0.80, stretch 0.60"), p50("direct", m.direct, ""),
			timed("in memory, p99"+against, m.memory.p99, m.ccxt.p99, ""), p50("from node, in memory", m.node, "<= 1.3, stretch 1.1"),
		}
	case setting.clients == 1:
		return []Figure{p50("from node, in memory", m.node, ""), p50("durable", m.disk, "<= 1.4, stretch 1.0; CCXT is not durable")}
	}
	return []Figure{rated("in memory"+against, m.memory, m.ccxt, "")}
}

// addedTo compares how much longer a way takes than straight to the venue with the same of
// another way.
func (m *ordersMeasured) addedTo(name string, ours, limit orderRounds, goal string) Figure {
	return Figure{Name: name, Ours: added(ours.p50, m.direct.p50), Limit: added(limit.p50, m.direct.p50), Unit: "µs", Goal: goal}
}

// timed compares times of rounds in microseconds.
func timed(name string, ours, limit []float64, goal string) Figure {
	return Figure{Name: name, Ours: spreadOf(ours), Limit: spreadOf(limit), Unit: "µs", Goal: goal}
}

// rated compares orders per second.
func rated(name string, ours, limit orderRounds, goal string) Figure {
	return Figure{Name: name, Ours: spreadOf(ours.perSecond), Limit: spreadOf(limit.perSecond), Unit: "orders/s", HigherIsBetter: true, Goal: goal}
}

// costs returns what an order costs the service, against the floor program.
func (m *ordersMeasured) costs(setting orderSetting) []Figure {
	ours, floor := m.cost, m.floorCost
	counted := func(name string, ours, limit []float64, unit, goal, missing string) Figure {
		if len(ours) == 0 {
			return Figure{Name: name, Missing: missing}
		}
		return Figure{Name: name, Ours: spreadOf(ours), Limit: spreadOf(limit), Unit: unit, Goal: goal}
	}
	list := []Figure{
		timed("processor time, user and system", m.memory.busy, m.floor.busy, "<= 200, stretch 165"),
		timed("the same, against a forward", m.memory.busy, m.forward.busy, ofForward),
		timed("venue, processor time", m.floor.venue, m.direct.venue, "limit: without a private stream"),
		counted("heap objects", ours.objects, floor.objects, "objects", "<= 180", ""),
		counted("heap bytes", ours.bytes, floor.bytes, "bytes", "", ""),
		counted("goroutines started", ours.started, floor.started, "goroutines", "", ours.untraced),
		counted("goroutines woken", ours.woken, floor.woken, "goroutines", "<= 6", ours.untraced),
		counted("system calls of goroutines", ours.calls, floor.calls, "calls", "", ours.untraced),
		counted("read and write calls among them", ours.ioCalls, floor.ioCalls, "calls", "", ""),
		counted("context switches of threads", ours.switches, floor.switches, "switches", "", ""),
		counted("rows in the store afterwards", ours.rows, nil, "rows", "<= 5", ""),
		counted("bytes of these rows", ours.rowBytes, nil, "bytes", "<= 1000, stretch 600", ""),
		counted("bytes written to the log of the store", ours.logged, nil, "bytes", "", ours.unlogged),
	}
	for i := range list {
		list[i].Group = setting.name + ", cost of an order in memory; limit: the floor program"
	}
	return list
}

// added returns how much longer one way takes than another, round by round.
func added(through, direct []float64) Spread {
	rounds := make([]float64, len(through))
	for i := range through {
		rounds[i] = through[i] - direct[i]
	}
	return spreadOf(rounds)
}

func sum(a, b []float64) Spread {
	rounds := make([]float64, len(a))
	for i := range a {
		rounds[i] = a[i] + b[i]
	}
	return spreadOf(rounds)
}
