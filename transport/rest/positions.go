package rest

import (
	"venuegate/transport/api"
	"venuegate/venues"
)

func getPositions(s *Server, in *call) (answer, error) {
	query := venues.ReadAccount{
		Command:  in.command(),
		Exchange: in.query.Exchange("exchange"),
		Symbol:   in.query.Symbol("symbol"),
	}
	if err := in.query.Err(); err != nil {
		return answer{}, err
	}
	query.Symbol = s.canonical(query.Exchange, query.Symbol)
	positions, failures, err := s.deps.Accounts.Positions(in.ctx, query)
	if err == nil {
		err = s.requireOneAnswer(in, query.Exchange, failures)
	}
	if err != nil {
		return answer{}, err
	}
	return ok(api.AppendVenueList(room(len(positions)), positions, api.AppendPosition, failures)), nil
}

func postLeverage(s *Server, in *call) (answer, error) {
	c, err := api.DecodeChangeLeverage(in.body)
	if err != nil {
		return answer{}, err
	}
	c.Command = in.command()
	c.Symbol = s.canonical(c.Exchange, c.Symbol)
	change, err := s.deps.Trader.SetLeverage(in.ctx, c)
	if err != nil {
		return answer{}, err
	}
	return ok(api.AppendLeverage(room(1), &change)), nil
}

func postClose(s *Server, in *call) (answer, error) {
	c, err := api.DecodeClosePosition(in.body)
	if err != nil {
		return answer{}, err
	}
	c.Command = in.command()
	c.Symbol = s.canonical(c.Exchange, c.Symbol)
	order, err := s.deps.Trader.Close(in.ctx, c)
	if err != nil {
		return answer{}, err
	}
	return placed(&order), nil
}
