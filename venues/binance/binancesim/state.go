package binancesim

import "encoding/json"

// statePart keeps the details of orders. Listen keys and countdowns end with the
// simulator.
type statePart struct{}

// Save implements simcore.StatePart.
func (statePart) Save(bool, func(kind string, value any)) {}

// Load implements simcore.StatePart.
func (statePart) Load(string, json.RawMessage) (bool, error) { return false, nil }

// Detail implements simcore.StatePart.
func (statePart) Detail(encoded json.RawMessage) (any, error) {
	var d storedDetail
	err := json.Unmarshal(encoded, &d)
	return orderDetail{d.PriceMatch, d.AlgoType, d.WorkingType, d.PriceProtect}, err
}

// storedDetail is an orderDetail in a state file.
type storedDetail struct {
	PriceMatch   string `json:"priceMatch,omitempty"`
	AlgoType     string `json:"algoType,omitempty"`
	WorkingType  string `json:"workingType,omitempty"`
	PriceProtect bool   `json:"priceProtect,omitempty"`
}

// MarshalJSON implements json.Marshaler for the state file.
func (d orderDetail) MarshalJSON() ([]byte, error) {
	return json.Marshal(storedDetail{d.priceMatch, d.algoType, d.workingType, d.priceProtect})
}
