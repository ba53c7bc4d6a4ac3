package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"venuegate/venues"
)

// observation is a response or a message: a description of each member by its path.
type observation struct {
	name    string
	members map[string]string
}

// exemption is a difference between venues that stands, with its reason. scene and
// member are patterns of path.Match. One that is not needed any more fails the test.
type exemption struct{ observation, member, reason string }

// How members are compared if not by their value.
const (
	byName  = "name"  // an id or a name
	byTime  = "time"  // a time
	byWords = "words" // free text of the venue or the service
	bySize  = "size"  // a figure that depends on the venue's rates: its sign and magnitude
	byTerms = "terms" // a figure of the venue's instrument list
)

var comparedBy = map[string]string{
	"orderId": byName, "requestId": byName, "fillId": byName, "venueOrderId": byName, "venueTradeId": byName, "id": byName,
	"replaces": byName, "replacedBy": byName, "entryOrderId": byName, "channelId": byName, "alertId": byName, "comment": byWords,
	"createdAt": byTime, "updatedAt": byTime, "openedAt": byTime, "executedAt": byTime, "triggeredAt": byTime, "firedAt": byTime,
	"ts": byTime, "venueTs": byTime, "start": byTime, "since": byTime, "nextFundingAt": byTime,
	"mark": byTerms, "index": byTerms, "fundingRate": byTerms, "high24h": byTerms, "low24h": byTerms, "volume24h": byTerms, "turnover24h": byTerms,
	"askQty": byTerms, "end": byTime, "until": byTime,
	"message": byWords, "venueMessage": byWords, "venueCode": byWords, "accountType": byWords, "venueSymbol": byWords,
	"fee": bySize, "realizedPnl": bySize, "unrealizedPnl": bySize, "liquidationPrice": bySize,
	"equity": bySize, "available": bySize, "usedMargin": bySize, "required": bySize, "actual": bySize,
	"minNotional": byTerms, "maxQty": byTerms, "maxMarketQty": byTerms, "maxLeverage": byTerms,
	"minQty": byTerms, "qtyStep": byTerms, "tickSize": byTerms, "contractSize": byTerms, "allowed": byTerms,
	"seq": byTerms, "bids": byTerms, "asks": byTerms,
	"open": byTerms, "high": byTerms, "low": byTerms, "volume": byTerms, "turnover": byTerms,
}

// membersOf describes the members of a response by path. Names of venues are
// replaced by a common one.
func membersOf(what record, venue venues.Venue) map[string]string {
	found := map[string]string{}
	describeMember(found, "", "", map[string]any(what), venue)
	return found
}

func describeMember(found map[string]string, at, name string, value any, venue venues.Venue) {
	switch v := value.(type) {
	case map[string]any:
		for member, each := range v {
			describeMember(found, path.Join(at, member), member, each, venue)
		}
	case record:
		describeMember(found, at, name, map[string]any(v), venue)
	case []any:
		found[path.Join(at, "length")] = fmt.Sprint(len(v))
		for n, each := range v {
			describeMember(found, path.Join(at, fmt.Sprint(n)), name, each, venue)
		}
	default:
		found[at] = describeValue(comparedBy[name], v, venue)
	}
}

// describeValue returns the text by which a member is compared. A null member and
// an invalid time are always different from others.
func describeValue(by string, value any, venue venues.Venue) string {
	text, isText := value.(string)
	_, notDecimal := venues.ParseDecimal(text)
	switch {
	case value == nil:
		return "null"
	case by == byName && isText && text != "", by == byWords && isText:
		return by
	case by == byTime && isTime(text):
		return by
	case by == bySize && isText && notDecimal == nil:
		d := venues.MustDecimal(text)
		return fmt.Sprintf("decimal, sign %d, magnitude %d", d.Sign(), d.NumDigits()+int(d.Exponent()))
	case by == byTerms && isText && notDecimal == nil:
		return "decimal"
	case by == byTerms:
		return fmt.Sprintf("%T", value)
	}
	described, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return strings.ReplaceAll(string(described), string(venue), "<exchange>")
}

func isTime(text string) bool {
	_, err := time.Parse(venues.TimeFormat, text)
	return err == nil
}

// compare fails the test for every member that differs between a venue and the first
// one, and marks the exemptions that were needed.
func (p *suite) compare(t *testing.T, stories [][]observation, used map[int]bool) {
	t.Helper()
	first := stories[0]
	for n, story := range stories[1:] {
		venue := venues.All()[n+1]
		if len(story) != len(first) {
			t.Fatalf("%s has %d observations, %s has %d", venue, len(story), venues.All()[0], len(first))
		}
		for i, s := range story {
			if s.name != first[i].name {
				t.Fatalf("%s observes %q, %s %q", venue, s.name, venues.All()[0], first[i].name)
			}
			for _, member := range differences(first[i].members, s.members) {
				if e, exempt := p.exemptionOf(s.name, member); exempt {
					used[e] = true
					continue
				}
				t.Errorf("%s: %s is %s on %s and %s on %s", s.name, member,
					cmp.Or(first[i].members[member], "absent"), venues.All()[0], cmp.Or(s.members[member], "absent"), venue)
			}
		}
	}
}

// differences returns the members in which two observations differ.
func differences(a, b map[string]string) []string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	maps.DeleteFunc(all, func(member, _ string) bool {
		inA, hasA := a[member]
		inB, hasB := b[member]
		return hasA && hasB && inA == inB
	})
	return slices.Sorted(maps.Keys(all))
}

func (p *suite) exemptionOf(name, member string) (int, bool) {
	for n, e := range p.exempt {
		inScene, _ := path.Match(e.observation, name)
		ofMember, _ := path.Match(e.member, member)
		if inScene && ofMember {
			return n, true
		}
	}
	return 0, false
}
