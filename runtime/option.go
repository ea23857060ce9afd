package runtime

import (
	"log/slog"
	"time"
)

// Defaults of the options.
const (
	DefaultStoreTimeout    = 250 * time.Millisecond
	DefaultPollInterval    = 500 * time.Millisecond
	DefaultMaxWaiters      = 10_000
	DefaultUnrecordedLimit = 64 << 20

	defaultProblemBase = "urn:idemgen:problem:"
)

// An Option adjusts an engine, in [New], or the operations of one generated
// server, in its NewIdempotentServer.
type Option interface{ apply(*settings) }

type settings struct {
	storeTimeout    time.Duration
	pollInterval    time.Duration
	maxWaiters      int64
	unrecordedLimit int64
	observer        Observer
	logger          *slog.Logger
	problemBase     string
	maxUpload       int64
}

func defaultSettings() settings {
	return settings{
		storeTimeout:    DefaultStoreTimeout,
		pollInterval:    DefaultPollInterval,
		maxWaiters:      DefaultMaxWaiters,
		unrecordedLimit: DefaultUnrecordedLimit,
		logger:          slog.Default(),
		problemBase:     defaultProblemBase,
		maxUpload:       DefaultMaxUploadBytes,
	}
}

func (s settings) with(opts []Option) settings {
	for _, o := range opts {
		if o != nil {
			o.apply(&s)
		}
	}
	return s
}

type optionFunc func(*settings)

func (f optionFunc) apply(s *settings) { f(s) }

// WithStoreTimeout bounds each call to the store, so that a store that hangs
// costs a request this and not its client library's patience. Default
// DefaultStoreTimeout; values that are not positive mean the default.
func WithStoreTimeout(d time.Duration) Option {
	return optionFunc(func(s *settings) { s.storeTimeout = positive(d, DefaultStoreTimeout) })
}

// WithPollInterval sets the longest time after which a waiting request reads
// the store without having been told of a change. Polling starts at a fifth of
// it. Default DefaultPollInterval; values that are not positive mean the default.
func WithPollInterval(d time.Duration) Option {
	return optionFunc(func(s *settings) { s.pollInterval = positive(d, DefaultPollInterval) })
}

// WithMaxWaiters bounds how many requests of this process wait at the same
// time; further ones are refused as in progress. Default DefaultMaxWaiters;
// values that are not positive mean the default.
func WithMaxWaiters(n int) Option {
	return optionFunc(func(s *settings) { s.maxWaiters = positive(int64(n), DefaultMaxWaiters) })
}

// WithUnrecordedLimit bounds the bytes of answers that this process keeps
// because the store could not be reached after the handler had run. Beyond it
// the key is settled without its answer. Default DefaultUnrecordedLimit; values
// that are not positive mean the default.
func WithUnrecordedLimit(bytes int64) Option {
	return optionFunc(func(s *settings) { s.unrecordedLimit = positive(bytes, DefaultUnrecordedLimit) })
}

// WithObserver has every event told to o, beside the log. Nil means none, the
// default.
func WithObserver(o Observer) Option {
	return optionFunc(func(s *settings) { s.observer = o })
}

// WithLogger sets where events are logged: ordinary ones at debug level,
// troubles at warn or error. Nil means nowhere. Default slog.Default().
func WithLogger(l *slog.Logger) Option {
	return optionFunc(func(s *settings) { s.logger = l })
}

// WithProblemBase sets the URI that problem types start with, such as
// "https://docs.example.com/problems/". Empty means the default,
// "urn:idemgen:problem:".
func WithProblemBase(base string) Option {
	return optionFunc(func(s *settings) {
		s.problemBase = base
		if base == "" {
			s.problemBase = defaultProblemBase
		}
	})
}

// ProblemType returns the problem type URI of a code under the given options.
func ProblemType(code Code, opts ...Option) string {
	return defaultSettings().with(opts).problemBase + string(code)
}

func positive[T int64 | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}
