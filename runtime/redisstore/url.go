package redisstore

import (
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"strings"
)

// An address is a URL of Redis taken apart. Errors name its parts, never their
// values: any of them may be a piece of a password that was not escaped.
type address struct {
	scheme string // redis, rediss or unix
	kind   string // "", sentinel or cluster
	user   *url.Userinfo
	hosts  []string // host:port; none for unix
	path   string   // without the first slash; that of the socket with it
	query  url.Values
}

// parseAddress takes a URL apart. The hosts are split here, since net/url knows
// only one.
func parseAddress(text string) (*address, error) {
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return nil, errors.New("redisstore: URL: there is no scheme")
	}
	a := &address{scheme: scheme}
	if base, kind, ok := strings.Cut(scheme, "+"); ok {
		a.scheme, a.kind = base, kind
	}
	if !a.known() {
		return nil, errors.New("redisstore: URL: the scheme must be redis, rediss, unix, redis+sentinel, rediss+sentinel, redis+cluster or rediss+cluster")
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	authority, tail := rest[:end], rest[end:]
	if strings.ContainsAny(tail, "@#") {
		return nil, errors.New("redisstore: URL: the characters @ : / ? # % in a user name, password or option are written as %40 %3A %2F %3F %23 %25")
	}
	// net/url parses what is left, with no host.
	at := strings.LastIndexByte(authority, '@')
	parsed, err := url.Parse("redis://" + authority[:at+1] + tail)
	if err != nil {
		return nil, errors.New("redisstore: URL: the user name, password, path or options are not valid; write special characters as %XX")
	}
	a.user = parsed.User
	a.path = parsed.Path
	if a.query, err = url.ParseQuery(parsed.RawQuery); err != nil {
		return nil, errors.New("redisstore: URL: the options after the question mark are not valid")
	}
	return a, a.addHosts(authority[at+1:])
}

func (a *address) known() bool {
	switch a.kind {
	case "":
		return a.scheme == "redis" || a.scheme == "rediss" || a.scheme == "unix"
	case "sentinel", "cluster":
		return a.scheme == "redis" || a.scheme == "rediss"
	}
	return false
}

// addHosts splits a list of hosts, and checks that there are as many as the
// kind of the URL wants.
func (a *address) addHosts(list string) error {
	switch {
	case a.scheme == "unix" && list != "":
		return errors.New("redisstore: URL: a unix URL has no host, as in unix:///run/redis.sock")
	case a.scheme == "unix":
		return nil
	case list == "":
		return errors.New("redisstore: URL: there is no host")
	}
	port := "6379"
	if a.kind == "sentinel" {
		port = "26379"
	}
	for i, item := range strings.Split(list, ",") {
		host, err := url.Parse("redis://" + item)
		if err != nil || host.Hostname() == "" || host.User != nil {
			return fmt.Errorf("redisstore: URL: host %d is not valid", i+1)
		}
		if p := host.Port(); p != "" {
			a.hosts = append(a.hosts, net.JoinHostPort(host.Hostname(), p))
		} else {
			a.hosts = append(a.hosts, net.JoinHostPort(host.Hostname(), port))
		}
	}
	if a.kind == "" && len(a.hosts) > 1 {
		return errors.New("redisstore: URL: several hosts need the scheme redis+sentinel or redis+cluster")
	}
	return nil
}

// take removes an option and returns its value.
func (a *address) take(name string) string {
	value := a.query.Get(name)
	a.query.Del(name)
	return value
}

// forClient writes the address as the client's own parsers want it: one host,
// the others as options, and no user.
func (a *address) forClient(path string, options url.Values) string {
	u := url.URL{Scheme: a.scheme, Path: path}
	if len(a.hosts) > 0 {
		u.Host = a.hosts[0]
	}
	query := maps.Clone(a.query)
	maps.Copy(query, options)
	u.RawQuery = query.Encode()
	return u.String()
}

// credentials are the user name and password of the URL.
func (a *address) credentials() (user, password string) {
	if a.user == nil {
		return "", ""
	}
	password, _ = a.user.Password()
	return a.user.Username(), password
}
