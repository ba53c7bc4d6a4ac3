package actortest

import (
	"context"
	"time"

	"venuegate/actors"
)

// Wait is an effect that stands for slow I/O: it takes d of virtual time and then
// comes to msg, or to nothing if it is cut off.
func Wait(d time.Duration, msg any) actors.Effect {
	return func(ctx context.Context) any {
		if d <= 0 {
			return msg
		}
		timer := time.NewTimer(d)
		defer timer.Stop()
		select {
		case <-timer.C:
			return msg
		case <-ctx.Done():
			return nil
		}
	}
}
