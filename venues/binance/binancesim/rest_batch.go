package binancesim

import (
	"bytes"
	"encoding/json"
	"strings"

	"venuegate/venues/simcore"
)

func (s *Sim) placeBatch(c *call) (any, *apiError) { return s.batch(c, s.place) }

func (s *Sim) amendBatch(c *call) (any, *apiError) { return s.batch(c, s.amend) }

// batch executes the elements one after the other and returns an answer for each,
// in the order of the request.
func (s *Sim) batch(c *call, do func(*call, params) (any, *apiError)) (any, *apiError) {
	elements, err := batchElements(c.params)
	if err != nil {
		return nil, err
	}
	answers := make([]any, len(elements))
	for i, p := range elements {
		answer, failed := do(c, p)
		if failed != nil {
			answer = failed.body()
		}
		answers[i] = answer
	}
	return answers, nil
}

// batchElements parses the list of parameter sets, whose values may be strings,
// numbers or booleans.
func batchElements(p params) ([]params, *apiError) {
	text, err := p.need("batchOrders")
	if err != nil {
		return nil, err
	}
	var raw []map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &raw) != nil {
		return nil, errMandatory("batchOrders")
	}
	if len(raw) == 0 || len(raw) > batchOrdersMax {
		return nil, errBatchSize
	}
	elements := make([]params, len(raw))
	for i, fields := range raw {
		elements[i].values = map[string]string{}
		for name, value := range fields {
			elements[i].values[name] = string(bytes.Trim(value, `"`))
		}
	}
	return elements, nil
}

func (s *Sim) cancelBatch(c *call) (any, *apiError) {
	l, err := s.listing(c)
	if err != nil {
		return nil, err
	}
	refs, err := c.params.batchRefs()
	if err != nil {
		return nil, err
	}
	answers := make([]any, len(refs))
	for i, ref := range refs {
		answer, failed := s.cancel(c, l, ref)
		if failed != nil {
			answer = failed.body()
		}
		answers[i] = answer
	}
	return answers, nil
}

// batchRefs parses either list of ids. Names are matched in any case.
func (p params) batchRefs() ([]simcore.OrderRef, *apiError) {
	var ids []int64
	var clientIDs []string
	for name, value := range p.values {
		var err error
		switch strings.ToLower(name) {
		case "orderidlist":
			err = json.Unmarshal([]byte(value), &ids)
		case "origclientorderidlist":
			err = json.Unmarshal([]byte(value), &clientIDs)
		}
		if err != nil {
			return nil, errMandatory(name)
		}
	}
	var refs []simcore.OrderRef
	for _, id := range ids {
		refs = append(refs, simcore.OrderRef{ID: id})
	}
	if len(ids) == 0 {
		for _, id := range clientIDs {
			refs = append(refs, simcore.OrderRef{ClientID: id})
		}
	}
	if len(refs) == 0 {
		return nil, errMandatory("orderIdList")
	}
	if len(refs) > batchCancelsMax {
		return nil, errBatchSize
	}
	return refs, nil
}
