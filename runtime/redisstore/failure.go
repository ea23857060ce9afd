package redisstore

import (
	"context"
	"errors"
	"io"
	"net"

	"github.com/redis/go-redis/v9"
)

// refusedWith reports whether err is a server's error reply with one of the
// codes.
func refusedWith(err error, codes ...string) bool {
	for _, code := range codes {
		if redis.HasErrorPrefix(err, code) {
			return true
		}
	}
	return false
}

// isReply reports whether err is a server's error reply.
func isReply(err error) bool {
	_, ok := errors.AsType[redis.Error](err)
	return ok
}

// neverArrived reports whether a command that failed with err certainly had no
// effect and will have none.
//
// An error reply means that: the server refuses a command before it runs it
// (OOM, READONLY, LOADING, NOPERM, NOREPLICAS, …), and the scripts do nothing
// that can fail after they have written. So do a failed dial and a pool that
// has no connection to give.
func neverArrived(err error) bool {
	if isReply(err) || isDial(err) {
		return true
	}
	return errors.Is(err, errNotSent) ||
		errors.Is(err, redis.ErrClosed) ||
		errors.Is(err, redis.ErrPoolTimeout) ||
		errors.Is(err, redis.ErrPoolExhausted)
}

func isDial(err error) bool {
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op == "dial"
}

// worthResending reports whether the same command may succeed in a moment: a
// connection was closed, as all idle ones are when a server restarts, or the
// server is just changing its role. A time limit that is over is none.
func worthResending(err error) bool {
	if isReply(err) {
		return refusedWith(err, "LOADING", "READONLY", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN")
	}
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, net.ErrClosed) {
		return true
	}
	op, ok := errors.AsType[*net.OpError](err)
	return ok && op.Op != "dial" && !op.Timeout()
}

// stillReads reports whether a server that refused a write with err can still
// be read from: it has no memory left, is a replica or has lost its own, or
// cannot save to disk.
func stillReads(err error) bool {
	return refusedWith(err, "OOM", "READONLY", "NOREPLICAS", "MISCONF")
}

// isTrouble reports whether the failure of a step speaks against the server as
// a whole. What is wrong with one key or one slot does not, nor does a caller
// who gave up.
func isTrouble(err error) bool {
	switch {
	case err == nil || errors.Is(err, context.Canceled) || errors.Is(err, redis.ErrClosed):
		return false
	case isReply(err):
		return !refusedWith(err, "WRONGTYPE", "MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN Hash slot not served")
	}
	return true
}
