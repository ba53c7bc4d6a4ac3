package bybitsim

import (
	"slices"
	"sync"
	"time"

	"venuegate/venues/simcore/simnet"
)

const topicStatus = "system.status"

// maintenanceBody is a maintenance, in REST and in the stream.
type maintenanceBody struct {
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	State        string   `json:"state"`
	Begin        string   `json:"begin"`
	End          string   `json:"end"`
	Href         string   `json:"href"`
	ServiceTypes []int    `json:"serviceTypes"`
	Product      []int    `json:"product"`
	UIDSuffix    []string `json:"uidSuffix"`
	MaintainType int      `json:"maintainType"`
	Env          int      `json:"env"`
}

const (
	stateOngoing   = "ongoing"
	stateCompleted = "completed"
)

// maintenance returns the maintenance that an injected fault makes.
func maintenance(id int, state string, now time.Time) maintenanceBody {
	return maintenanceBody{
		ID: uuidOf(int64(id)), Title: "Simulated maintenance", State: state, Begin: millisText(now),
		End: millisText(now.Add(banDefault)), ServiceTypes: []int{1, 2}, Product: []int{1}, UIDSuffix: []string{}, MaintainType: 2, Env: 1,
	}
}

// systemStatus lists the maintenances that injected faults make now.
func (s *Sim) systemStatus(*call) (any, *apiError) {
	records := list[maintenanceBody]{List: []maintenanceBody{}}
	for _, id := range s.Maintenances() {
		records.List = append(records.List, maintenance(id, stateOngoing, s.Clock.Now()))
	}
	return records, nil
}

// statusFeed publishes the begin and the end of maintenances.
type statusFeed struct {
	mu        sync.Mutex
	listeners map[*client]bool
	ongoing   []int
}

type statusPush struct {
	Topic string            `json:"topic"`
	TS    int64             `json:"ts"`
	Data  []maintenanceBody `json:"data"`
}

// flush publishes the changes since the last flush.
func (f *statusFeed) flush(s *Sim) {
	now, ids := s.Clock.Now(), s.Maintenances()
	f.mu.Lock()
	defer f.mu.Unlock()
	var news []maintenanceBody
	for _, id := range ids {
		if !slices.Contains(f.ongoing, id) {
			news = append(news, maintenance(id, stateOngoing, now))
		}
	}
	for _, id := range f.ongoing {
		if !slices.Contains(ids, id) {
			news = append(news, maintenance(id, stateCompleted, now))
		}
	}
	f.ongoing = ids
	if len(news) == 0 {
		return
	}
	message := simnet.Encode(statusPush{Topic: topicStatus, TS: millis(now), Data: news})
	for cl := range f.listeners {
		cl.session.Send(topicStatus, message)
	}
}

func (f *statusFeed) set(cl *client, listens bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.listeners, cl)
	if listens {
		f.listeners[cl] = true
	}
}

// statusOp answers the system status socket, which requires no login.
func (s *Sim) statusOp(cl *client, in opBody) {
	names, ok := in.names()
	switch {
	case in.Op == "ping":
		cl.pong(in)
	case in.Op != "subscribe" && in.Op != "unsubscribe":
		cl.reply(in, "error:invalid op")
	case !ok || len(names) != 1 || names[0] != topicStatus:
		cl.reply(in, "error:handler not found")
	default:
		s.status.set(cl, in.Op == "subscribe")
		cl.reply(in, "")
	}
}
