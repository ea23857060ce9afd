package runtime

import (
	"context"
	"log/slog"
)

// logLevel is how loud an event is: debug for what clients do, warn for what
// infrastructure does, error for what an operator must look at.
func (o Outcome) logLevel() slog.Level {
	switch o {
	case StoreError, RanUnprotected, LeaseLost, Takeover, CompleteFailed, NotRetained:
		return slog.LevelWarn
	case KeyHeld, RecordUnreadable:
		return slog.LevelError
	}
	return slog.LevelDebug
}

func logEvent(ctx context.Context, logger *slog.Logger, event Event) {
	level := event.Outcome.logLevel()
	if !logger.Enabled(ctx, level) {
		return
	}
	attrs := make([]slog.Attr, 0, 7)
	attrs = append(attrs,
		slog.String("outcome", event.Outcome.String()),
		slog.String("api", event.API),
		slog.String("operation", event.Operation),
		slog.Duration("total", event.Total))
	if event.Attempt > 0 {
		attrs = append(attrs, slog.Uint64("attempt", uint64(event.Attempt)))
	}
	if event.Handler > 0 {
		attrs = append(attrs, slog.Duration("handler", event.Handler))
	}
	if event.Err != nil {
		attrs = append(attrs, slog.Any("error", event.Err))
	}
	logger.LogAttrs(ctx, level, "idempotency", attrs...)
}
