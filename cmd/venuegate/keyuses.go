package main

import (
	"context"
	"time"

	"go.uber.org/zap"

	"venuegate/transport/auth"
)

const (
	// keyUsesMax bounds the uses of keys that are not stored yet. Others are reported again.
	keyUsesMax = 1024
	// keyUseWait bounds the storing of one.
	keyUseWait = 5 * time.Second
)

// recordUses stores the last use of each key.
func (e *engine) recordUses() {
	uses := make(chan auth.Use, keyUsesMax)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan struct{})
	e.auth.ReportUses(func(use auth.Use) {
		select {
		case uses <- use:
		default:
		}
	})
	go func() {
		defer close(ended)
		for {
			select {
			case <-ctx.Done():
				return
			case use := <-uses:
				e.recordUse(ctx, use)
			}
		}
	}()
	e.add(func() error { stop(); <-ended; return nil })
}

func (e *engine) recordUse(ctx context.Context, use auth.Use) {
	ctx, cancel := context.WithTimeout(ctx, keyUseWait)
	defer cancel()
	if err := e.registry.RecordUse(ctx, use); err != nil && ctx.Err() == nil {
		e.log.Warn("use of a key not recorded", zap.String("key_id", use.KeyID), zap.Error(err))
	}
}
