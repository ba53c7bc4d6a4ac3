package simcore

// SetStateGrowthMax sets by how much the state file may grow before it is written again.
func (x *Exchange) SetStateGrowthMax(bytes int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.state.file.growthMax = bytes
}
