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
func (s *Sim) batch(c *call, do func(*call, *params) (any, *apiError)) (any, *apiError) {
	elements, err := batchElements(&c.params)
	if err != nil {
		return nil, err
	}
	return answers(elements, func(p *params) (any, *apiError) { return do(c, p) }), nil
}

// answers returns the answer to each element of a batch.
func answers[T any](elements []T, do func(*T) (any, *apiError)) []any {
	list := make([]any, len(elements))
	for i := range elements {
		answer, failed := do(&elements[i])
		if failed != nil {
			answer = failed.body()
		}
		list[i] = answer
	}
	return list
}

// batchElements parses the list of parameter sets, whose values may be strings,
// numbers or booleans.
func batchElements(p *params) ([]params, *apiError) {
	text := p.need("batchOrders")
	if p.invalid != nil {
		return nil, p.invalid
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
	l := s.listing(c)
	if c.params.invalid != nil {
		return nil, c.params.invalid
	}
	refs, err := c.params.batchRefs()
	if err != nil {
		return nil, err
	}
	return answers(refs, func(ref *simcore.OrderRef) (any, *apiError) { return s.cancel(c, l, *ref) }), nil
}

// batchRefs parses either list of ids. Names are matched in any case.
func (p *params) batchRefs() ([]simcore.OrderRef, *apiError) {
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
