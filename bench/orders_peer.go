package bench

import (
	"context"
	_ "embed" // the script that sends orders from node
	"encoding/json"
	"fmt"
	"os/exec"
	"time"
)

// orderPeerScript sends orders from node. It is passed as text, like peerScript.
//
//go:embed peers/orders.js
var orderPeerScript string

// orderPeer is node with CCXT in a separate process.
type orderPeer struct {
	*partner
	release string
}

// orderRequest requests orders of a way.
type orderRequest struct {
	Way     string   `json:"way"`
	Clients int      `json:"clients"`
	Each    int      `json:"each"`
	URL     string   `json:"url,omitempty"`
	Keys    []string `json:"keys,omitempty"`
}

// startOrderPeer starts node and waits until CCXT has read the venue's markets.
func startOrderPeer(ctx context.Context, venue venueReady) (*orderPeer, error) {
	node, folder, release, err := findPeer()
	if err != nil {
		return nil, err
	}
	at, err := json.Marshal(map[string]string{
		"restUrl": venue.At.RestURL, "wsUrl": venue.At.WsURL, "apiKey": venue.Outside.APIKey, "apiSecret": venue.Outside.APISecret,
	})
	if err != nil {
		return nil, err
	}
	command := exec.CommandContext(context.WithoutCancel(ctx), node, "--input-type=module", "--eval", orderPeerScript, "--", string(at))
	command.Dir = folder
	started, err := startPartner(command, &struct{}{})
	if err != nil {
		return nil, fmt.Errorf("start CCXT: %w", err)
	}
	return &orderPeer{started, release}, nil
}

// ccxt sends orders straight to the venue with CCXT.
func (p *orderPeer) ccxt(to *laps, clients, each int) error {
	return p.send(to, orderRequest{Way: "ccxt", Clients: clients, Each: each})
}

// through sends orders through a service with plain HTTP.
func (p *orderPeer) through(s *orderService, to *laps, clients, each int) error {
	q := orderRequest{Way: "service", Clients: clients, Each: each, URL: s.demo.File.BaseURL + "/v1/orders"}
	for _, key := range s.keys {
		q.Keys = append(q.Keys, key.APIKey)
	}
	return p.send(to, q)
}

func (p *orderPeer) send(to *laps, q orderRequest) error {
	var measured struct {
		TookMS []float64 `json:"tookMs"`
		AllMS  float64   `json:"allMs"`
	}
	if err := p.ask(q, &measured); err != nil {
		return err
	}
	duration := func(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }
	took := make([]time.Duration, len(measured.TookMS))
	for i, ms := range measured.TookMS {
		took[i] = duration(ms)
	}
	to.add(took, duration(measured.AllMS))
	return nil
}
