package root_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.uber.org/zap"

	"venuegate/actors"
	"venuegate/actors/account"
	"venuegate/actors/alerts"
	"venuegate/actors/book"
	"venuegate/actors/channel"
	"venuegate/actors/customer"
	"venuegate/actors/delivery"
	"venuegate/actors/journal"
	"venuegate/actors/market"
	"venuegate/actors/private"
	"venuegate/actors/signalqueue"
	"venuegate/actors/venue"
	"venuegate/persistence"
	"venuegate/venues"
)

// drawn is one actor in the picture of the package documentation.
type drawn struct {
	path    string
	restart string
}

var drawnLine = regexp.MustCompile(`^([│ ]*)[├└]── (\S+)\s+(\S+)`)

// readPicture reads the tree of the package documentation of actors.
func readPicture(t *testing.T) []drawn {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "doc.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, picture, begun := strings.Cut(string(text), "tree:begin")
	picture, _, ended := strings.Cut(picture, "tree:end")
	if !begun || !ended {
		t.Fatal("actors/doc.go lacks the tree")
	}
	var list []drawn
	var above []string
	for line := range strings.Lines(picture) {
		match := drawnLine.FindStringSubmatch(strings.TrimPrefix(line, "//\t"))
		if match == nil {
			continue
		}
		depth := len([]rune(match[1])) / 4
		above = append(above[:depth], match[2])
		list = append(list, drawn{strings.Join(above, "/"), match[3]})
	}
	return list
}

func restartName(r actors.Restart) string {
	return map[actors.Restart]string{
		actors.Permanent: "permanent", actors.Transient: "transient", actors.Temporary: "temporary",
	}[r]
}

// TestPictureShowsTheTree compares the picture with the actors' specifications: the name
// below the parent, and the reaction to its end.
func TestPictureShowsTheTree(t *testing.T) {
	system := actors.New(zap.NewNop())
	defer func() { _ = system.Stop(t.Context()) }()
	none := actors.Ref{}
	started := map[string]actors.Child{
		"journal":                                  journal.Child(journal.Deps{}),
		"venue/<exchange>":                         venue.New(none, venue.Deps{Venue: "<exchange>"}).Child(),
		"venue/<exchange>/market/<n>":              market.New(none, market.Deps{Name: "market/<n>"}).Child(),
		"venue/<exchange>/book/<symbol>":           book.New(none, book.Deps{Instrument: venues.Instrument{Symbol: "<symbol>"}}).Child(),
		"customer/<id>":                            customer.Child(customer.Deps{ID: "<id>"}),
		"customer/<id>/signalqueue":                signalqueue.Child(),
		"customer/<id>/alerts":                     alerts.Child(alerts.Deps{}),
		"customer/<id>/delivery/<endpoint>":        delivery.Child(delivery.Deps{Endpoint: persistence.Endpoint{ID: "<endpoint>"}}),
		"customer/<id>/channel/<hook>":             channel.Child(channel.Deps{Channel: persistence.Channel{ID: "<hook>"}}),
		"customer/<id>/account/<exchange>":         account.Child(account.Deps{Config: account.Config{Exchange: "<exchange>"}}),
		"customer/<id>/account/<exchange>/private": private.Child(private.Deps{}),
	}
	picture := readPicture(t)
	for _, d := range picture {
		child, exists := started[d.path]
		if !exists {
			t.Errorf("picture has %s, want only existing actors", d.path)
			continue
		}
		if !strings.HasSuffix(d.path, child.Name) || restartName(child.Restart) != d.restart {
			t.Errorf("picture has %s %s, want %s %s", d.path, d.restart, child.Name, restartName(child.Restart))
		}
	}
	for path := range started {
		if !slices.ContainsFunc(picture, func(d drawn) bool { return d.path == path }) {
			t.Errorf("picture lacks %s", path)
		}
	}
}

// Every kind of actor that runs is in the picture.
func TestRunningActorsAreInThePicture(t *testing.T) {
	d := open(t)
	d.becomes(venues.StatusOpen, "r1", spec(venues.Buy, venues.TypeLimit, "1", "20000"))
	kinds := map[string]bool{}
	for _, node := range readPicture(t) {
		for part := range strings.SplitSeq(node.path, "/") {
			kinds[part] = true
		}
	}
	for _, running := range d.system.Stats().Kinds {
		if !kinds[running.Kind] {
			t.Errorf("picture lacks the running kind %s", running.Kind)
		}
	}
}
