package bench

// ordersMeasured is the results of the rounds of a setting.
type ordersMeasured struct {
	// direct goes straight to the venue, forward through a server that only forwards,
	// memory and disk through a service with its store there. sync is a sync of the
	// bytes of one commit. disk and sync are not measured on one core.
	direct, forward, memory, disk, sync orderRounds
	// ccxt goes straight to the venue, node through the service with its store in
	// memory; missing is the reason if CCXT is not installed.
	ccxt, node       orderRounds
	release, missing string
}

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
	return list
}

// routing returns the cost of the service without the disk.
func (m *ordersMeasured) routing(setting orderSetting) []Figure {
	added := Figure{Name: "in memory, added p50", Ours: added(m.memory.p50, m.direct.p50), Limit: added(m.forward.p50, m.direct.p50), Unit: "µs", Goal: "limit: added by a forward"}
	p99 := Figure{Name: "in memory, p99", Ours: spreadOf(m.memory.p99), Limit: spreadOf(m.forward.p99), Unit: "µs", Goal: "limit: the forward"}
	rate := Figure{Name: "in memory", Ours: spreadOf(m.memory.perSecond), Limit: spreadOf(m.forward.perSecond), Unit: "orders/s", HigherIsBetter: true, Goal: "limit: the forward"}
	switch {
	case setting.oneCore:
		added.Goal, p99.Goal = "<= 1.25; "+added.Goal, "<= 1.25; "+p99.Goal
		forward := Figure{Name: "forward, p50", Ours: spreadOf(m.forward.p50), Limit: spreadOf(m.direct.p50), Unit: "µs", Goal: "limit: straight to the venue"}
		return []Figure{forward, added, p99}
	case setting.clients == 1:
		return []Figure{added, p99}
	case setting.clients == orderAccounts:
		rate.Goal = ">= 0.80; " + rate.Goal
	}
	return []Figure{added, rate}
}

// durable returns the cost of the service with the disk.
func (m *ordersMeasured) durable(setting orderSetting) []Figure {
	p50 := Figure{Name: "durable, p50", Ours: spreadOf(m.disk.p50), Limit: sum(m.memory.p50, m.sync.p50), Unit: "µs", Goal: "limit: in memory and one sync"}
	p99 := Figure{Name: "durable, p99", Ours: spreadOf(m.disk.p99), Limit: sum(m.memory.p99, m.sync.p99), Unit: "µs", Goal: "limit: in memory and one sync"}
	if setting.clients > 1 {
		rate := Figure{Name: "durable", Ours: spreadOf(m.disk.perSecond), Limit: spreadOf(m.memory.perSecond), Unit: "orders/s", HigherIsBetter: true, Goal: "limit: in memory"}
		return []Figure{p50, p99, rate}
	}
	p50.Goal = "<= 1.15; " + p50.Goal
	return []Figure{
		p50, p99,
		{Name: "durable, less in memory, p50", Ours: added(m.disk.p50, m.memory.p50), Limit: spreadOf(m.sync.p50), Unit: "µs", Goal: "limit: one sync; the service makes two commits"},
		{Name: "durable, processor time of an order", Ours: spreadOf(m.disk.busy), Limit: spreadOf(m.memory.busy), Unit: "µs", Goal: "limit: in memory"},
	}
}

// peers returns the comparisons with CCXT, which goes straight to the venue and is
// never durable.
func (m *ordersMeasured) peers(setting orderSetting) []Figure {
	if m.missing != "" {
		return []Figure{{Name: "against CCXT", Missing: m.missing}}
	}
	p50 := func(name string, ours orderRounds, goal string) Figure {
		return Figure{Name: name + ", p50, against CCXT " + m.release, Ours: spreadOf(ours.p50), Limit: spreadOf(m.ccxt.p50), Unit: "µs", Goal: goal}
	}
	rate := Figure{Name: "in memory, against CCXT " + m.release, Ours: spreadOf(m.memory.perSecond), Limit: spreadOf(m.ccxt.perSecond), Unit: "orders/s", HigherIsBetter: true}
	switch {
	case setting.oneCore:
		p99 := Figure{Name: "in memory, p99, against CCXT " + m.release, Ours: spreadOf(m.memory.p99), Limit: spreadOf(m.ccxt.p99), Unit: "µs", Goal: "<= 0.03"}
		return []Figure{p50("in memory", m.memory, "<= 0.16"), p99, p50("from node, in memory", m.node, "<= 0.35")}
	case setting.clients == 1:
		return []Figure{p50("from node, in memory", m.node, "<= 0.50"), p50("durable", m.disk, "<= 1.00; CCXT is not durable")}
	case setting.clients == orderAccounts:
		rate.Goal = ">= 7"
	}
	return []Figure{rate}
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
