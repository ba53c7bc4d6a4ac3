package rows

import (
	"bytes"
	"encoding/json"

	"venuegate/persistence"
)

func appendIdempotency(dst []byte, r *persistence.IdempotencyRecord) []byte {
	return openObject(dst).
		text("customer", r.Customer).
		text("scope", r.Scope).
		text("requestId", r.RequestID).
		integer("attempt", r.Attempt).
		text("orderId", r.OrderID).
		bytes("bodyHash", r.BodyHash).
		moment("firstReceived", r.FirstReceived).
		moment("freedAt", r.FreedAt).
		close()
}

// appendEvent takes the white space out of the data, which must be JSON.
func appendEvent(dst []byte, e *persistence.Event) ([]byte, error) {
	o := openObject(dst).
		text("id", e.ID).
		count("seq", e.Seq).
		text("type", string(e.Type)).
		moment("createdAt", e.CreatedAt)
	if e.Data == nil {
		return o.null("data").close(), nil
	}
	var data bytes.Buffer
	if err := json.Compact(&data, e.Data); err != nil {
		return nil, err
	}
	o = append(o.name("data"), data.Bytes()...)
	return append(o, '}'), nil
}

func appendJournal(dst []byte, j *persistence.JournalEntry) []byte {
	o := openObject(dst).
		text("id", j.ID).
		count("seq", j.Seq).
		moment("at", j.At).
		text("kind", j.Kind).
		text("subject", j.Subject).
		omitted("channel", j.Channel).
		omitted("symbol", j.Symbol).
		omitted("result", j.Result)
	if len(j.Fields) > 0 {
		o = append(o.name("fields"), '[')
		for _, f := range j.Fields {
			o = append(openObject(o).text("name", f.Name).text("value", f.Value).close(), ',')
		}
		o[len(o)-1] = ']'
		o = append(o, ',')
	}
	if len(j.PrevHash) > 0 {
		o = o.bytes("prevHash", j.PrevHash)
	}
	if len(j.Hash) > 0 {
		o = o.bytes("hash", j.Hash)
	}
	return o.close()
}
