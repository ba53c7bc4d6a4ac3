package okxsim

import (
	"encoding/json"
	"time"

	"venuegate/venues/simcore"
)

// ack is the answer to one order of a trade call.
type ack struct {
	AlgoClOrdID *string `json:"algoClOrdId,omitempty"`
	AlgoID      *string `json:"algoId,omitempty"`
	ClOrdID     string  `json:"clOrdId"`
	OrdID       string  `json:"ordId,omitempty"`
	ReqID       *string `json:"reqId,omitempty"`
	SCode       string  `json:"sCode"`
	SMsg        string  `json:"sMsg"`
	SubCode     string  `json:"subCode"`
	Tag         string  `json:"tag"`
	TS          string  `json:"ts"`
}

// ackList is the data of a trade call.
type ackList []ack

// code returns the code and the text of the top level for the items.
func (list ackList) code() (code, msg string) {
	failed := 0
	for i := range list {
		if list[i].SCode != "0" {
			failed++
		}
	}
	switch failed {
	case 0:
		return "0", ""
	case len(list):
		return "1", "All operations failed"
	default:
		return "2", "Bulk operation partially succeeded."
	}
}

func rejectionAck(failed *apiError, at time.Time) ack {
	return ack{SCode: failed.code, SMsg: failed.message, SubCode: failed.subCode, TS: millis(at)}
}

func orderAck(o *simcore.Order, at time.Time) ack {
	return ack{ClOrdID: o.ClientID, OrdID: idText(o.ID), SCode: "0", Tag: detailOf(o).tag, TS: millis(at)}
}

// batch calls do for every element of an array. Failed elements do not affect the
// others.
func batch(c *call, most int, do func(raw []byte) ack) (any, *apiError) {
	var items []json.RawMessage
	if failed := decode(c.body, &items); failed != nil {
		return nil, failed
	}
	if len(items) == 0 || len(items) > most {
		return nil, errBatchSize
	}
	acks := make(ackList, 0, len(items))
	for _, raw := range items {
		acks = append(acks, do(raw))
	}
	return acks, nil
}
