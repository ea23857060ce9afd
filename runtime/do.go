package runtime

import (
	"context"
	"encoding/json"
	"fmt"
)

// Do protects any function whose result encodes as JSON: a job, a queue's
// consumer. fn runs at most as often as contract allows for the key of call; its
// result is kept, and further calls with the key get it decoded. The first
// caller gets the value as fn returned it.
//
// A refusal is an [*Error]; any other error is fn's own, that of ctx, or one of
// encoding or decoding the result. A result that cannot be encoded settles the
// key as not retained.
func Do[T any](ctx context.Context, engine *Engine, contract Contract, call Call, fn func(ctx context.Context) (T, error)) (T, error) {
	var own, none T
	if contract.Replay == Reload {
		return none, fmt.Errorf("idem: contract of %q: Do keeps results, not references: Replay must be Stored", contract.Operation)
	}
	op, err := engine.operationOf(contract)
	if err != nil {
		return none, err
	}
	result, err := op.Run(ctx, call, func(ctx context.Context) (WriteFunc, error) {
		var err error
		if own, err = fn(ctx); err != nil {
			return nil, err
		}
		return func() (*Answer, error) {
			body, err := json.Marshal(own)
			if err != nil {
				return nil, fmt.Errorf("idem: %s: encode result: %w", contract.Operation, err)
			}
			return &Answer{Body: body}, nil
		}, nil
	})
	switch {
	case err != nil:
		return none, err
	case !result.Replayed:
		return own, nil
	}
	var stored T
	if err := json.Unmarshal(result.Answer.Body, &stored); err != nil {
		return none, fmt.Errorf("idem: %s: decode stored result: %w", contract.Operation, err)
	}
	return stored, nil
}
