package bybitsim

// batchMax is how many orders a batch may contain.
const batchMax = 20

// batchBody is a list of orders of one category.
type batchBody[T any] struct {
	Category string `json:"category"`
	Request  []T    `json:"request"`
}

// batchRow answers one order. Only new orders have createAt.
type batchRow struct {
	Category    string  `json:"category"`
	Symbol      string  `json:"symbol"`
	OrderID     string  `json:"orderId"`
	OrderLinkID string  `json:"orderLinkId"`
	CreateAt    *string `json:"createAt,omitempty"`
}

type batchCode struct {
	Code    int    `json:"code"`
	Message string `json:"msg"`
}

func (s *Sim) createBatch(c *call) (any, *apiError) {
	return batch(s, c, func(category string, body *createBody) (batchRow, func() (ack, *apiError)) {
		body.Category = category
		row := batchRow{Symbol: body.Symbol, OrderLinkID: body.OrderLinkID, CreateAt: new(string)}
		return row, func() (ack, *apiError) { return s.create(c, *body) }
	})
}

// amendBatch amends orders, but not conditional ones.
func (s *Sim) amendBatch(c *call) (any, *apiError) {
	return batch(s, c, func(category string, body *amendBody) (batchRow, func() (ack, *apiError)) {
		body.Category = category
		return body.row(), func() (ack, *apiError) {
			l, ref, failed := body.check(s)
			if failed != nil {
				return ack{}, failed
			}
			return s.amendInBook(c, l, ref, *body)
		}
	})
}

func (s *Sim) cancelBatch(c *call) (any, *apiError) {
	return batch(s, c, func(category string, body *refBody) (batchRow, func() (ack, *apiError)) {
		body.Category = category
		return body.row(), func() (ack, *apiError) { return s.cancel(c, *body) }
	})
}

func (b *refBody) row() batchRow { return batchRow{Symbol: b.Symbol, OrderLinkID: b.OrderLinkID} }

// batch executes the elements one after the other. The answer is a success with two
// lists in the order of the request: of the orders, and of their codes. prepare returns
// the row of an element, as it is for a failure, and its execution. Each element counts
// against the limit of the endpoint.
func batch[T any](
	s *Sim, c *call, prepare func(category string, element *T) (batchRow, func() (ack, *apiError)),
) (any, *apiError) {
	var body batchBody[T]
	if failed := c.decodeLinear(&body, &body.Category); failed != nil {
		return nil, failed
	}
	if n := len(body.Request); n == 0 || n > batchMax {
		return nil, errParam("params error: request size invalid")
	}
	rows, codes := make([]batchRow, 0, len(body.Request)), make([]batchCode, 0, len(body.Request))
	for n := range body.Request {
		row, execute := prepare(body.Category, &body.Request[n])
		row.Category = body.Category
		failed := s.countElement(c, n)
		if failed == nil {
			var done ack
			if done, failed = execute(); failed == nil {
				row.OrderID, row.OrderLinkID = done.OrderID, done.OrderLinkID
				if row.CreateAt != nil {
					*row.CreateAt = millisText(c.now)
				}
			}
		}
		code := batchCode{Message: "OK"}
		if failed != nil {
			code = batchCode{failed.code, failed.message}
		}
		rows, codes = append(rows, row), append(codes, code)
	}
	return withExtInfo{list[batchRow]{rows}, list[batchCode]{codes}}, nil
}

// countElement counts an element of a batch; the first was counted with the request.
func (s *Sim) countElement(c *call, n int) *apiError {
	if n == 0 {
		return nil
	}
	endpoint := routes[route{c.method, c.path}]
	left, failed := s.limiter.endpoint(c.account.ID, c.path, &endpoint, c.now)
	c.rateLimit = &left
	return failed
}
