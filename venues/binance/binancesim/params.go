package binancesim

import (
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/shopspring/decimal"

	"venuegate/venues"
)

// params are the parameters of a request. Those of the query string override those
// of the body.
type params struct {
	values map[string]string
	// signed is what the signature covers: the query string followed directly
	// by the body, without the signature itself.
	signed    string
	signature string
	// signatures counts how often a signature was sent.
	signatures int
	// invalid is the error of the first parameter that cannot be used.
	invalid *apiError
}

// refuse records the error of a parameter, unless an earlier one has an error.
func (p *params) refuse(failed *apiError) {
	if p.invalid == nil {
		p.invalid = failed
	}
}

// paramsMax bounds the parameters of one request.
const paramsMax = 200

func parseParams(query, body string) (params, *apiError) {
	p := params{values: map[string]string{}}
	for _, part := range []string{body, query} {
		rest, err := p.parse(part)
		if err != nil {
			return params{}, err
		}
		p.signed = rest + p.signed
	}
	return p, nil
}

// parse adds the pairs of one part and returns the part without the signature.
func (p *params) parse(part string) (string, *apiError) {
	if part == "" {
		return "", nil
	}
	pairs := strings.Split(part, "&")
	if len(pairs) > paramsMax {
		return "", bad(-1101, "Too many parameters; expected '%d' and received '%d'.", paramsMax, len(pairs))
	}
	kept := pairs[:0]
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		text, err := url.QueryUnescape(value)
		if err != nil {
			return "", bad(-1100, "Illegal characters found in a parameter.")
		}
		if name == "signature" {
			p.signature = text
			p.signatures++
			continue
		}
		p.values[name] = text
		kept = append(kept, pair)
	}
	return strings.Join(kept, "&"), nil
}

// has reports whether a parameter was sent with a value.
func (p *params) has(name string) bool { return p.values[name] != "" }

func (p *params) text(name string) string { return p.values[name] }

// need returns a parameter that must have a value.
func (p *params) need(name string) string {
	v := p.values[name]
	if v == "" {
		p.refuse(errMandatory(name))
	}
	return v
}

// number returns a decimal, zero where it was not sent.
func (p *params) number(name string) decimal.Decimal {
	text := p.values[name]
	if text == "" {
		return decimal.Zero
	}
	d, err := venues.ParseDecimal(text)
	if err != nil {
		p.refuse(bad(-1100, "Illegal characters found in parameter '%s'; legal range is '^([0-9]{1,20})(\\.[0-9]{1,20})?$'.", name))
	}
	return d
}

// needNumber returns a decimal that must have been sent.
func (p *params) needNumber(name string) decimal.Decimal {
	d, err := venues.ParseDecimal(p.values[name])
	if err != nil {
		p.refuse(errMandatory(name))
	}
	return d
}

// integer returns a whole number, or otherwise where it was not sent.
func (p *params) integer(name string, otherwise int64) int64 {
	text := p.values[name]
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		p.refuse(bad(-1100, "Illegal characters found in parameter '%s'; legal range is '^[0-9]{1,20}$'.", name))
		return 0
	}
	return n
}

// limit returns a page size between one and most.
func (p *params) limit(otherwise, most int64) int {
	n := p.integer("limit", otherwise)
	if n < 1 || n > most {
		p.refuse(bad(-1130, "Data sent for parameter 'limit' is not valid."))
	}
	return int(n)
}

func (p *params) boolean(name string) bool {
	switch strings.ToLower(p.values[name]) {
	case "", "false":
		return false
	case "true":
		return true
	default:
		p.refuse(bad(-1130, "Data sent for parameter '%s' is not valid.", name))
		return false
	}
}

// timeOf returns a time sent in milliseconds, zero where it was not sent.
func (p *params) timeOf(name string) time.Time {
	ms := p.integer(name, 0)
	if ms == 0 {
		return time.Time{}
	}
	return time.UnixMilli(ms)
}

var clientIDPattern = regexp.MustCompile(`^[\.A-Z\:/a-z0-9_-]{1,36}$`)

const clientIDLenMax = 36

// clientID checks the form of a client order id.
func (p *params) clientID(name string) string {
	id := p.values[name]
	switch {
	case id == "":
	case len(id) > clientIDLenMax:
		p.refuse(errClientIDLength)
	case !clientIDPattern.MatchString(id):
		p.refuse(bad(-1100, `Illegal characters found in parameter '%s'; legal range is '^[\.A-Z\:/a-z0-9_-]{1,36}$'.`, name))
	}
	return id
}
