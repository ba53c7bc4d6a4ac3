package binancesim

func (s *Sim) replayedDepth(symbol string, limit int) (depthBody, bool) { return depthBody{}, false }
