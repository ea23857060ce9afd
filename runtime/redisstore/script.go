package redisstore

import (
	_ "embed"

	"github.com/redis/go-redis/v9"
)

//go:embed takeover.lua
var takeoverSource string

//go:embed renew.lua
var renewSource string

//go:embed complete.lua
var completeSource string

//go:embed release.lua
var releaseSource string

// scripts are the steps that compare and write. Each file says in its head what
// its script takes and replies.
type scripts struct {
	takeover, renew, complete, release script
}

func newScripts() scripts {
	return scripts{
		takeover: newScript(takeoverSource),
		renew:    newScript(renewSource),
		complete: newScript(completeSource),
		release:  newScript(releaseSource),
	}
}

// A script is known to a server by the digest of its source, once the server
// has seen the source.
type script struct{ source, digest string }

func newScript(source string) script {
	return script{source: source, digest: redis.NewScript(source).Hash()}
}
