package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
	"github.com/redis/go-redis/v9"
)

// serve is one server process on Redis. It prints its address and runs until
// its standard input ends.
func serve(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("payments serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	address := flags.String("redis", "127.0.0.1:6379", "`address` of Redis")
	provider := flags.String("provider", "", "`URL` of the card provider")
	if err := flags.Parse(args); err != nil {
		return err
	}
	redis.SetLogger(quiet{}) // it tells of every lost connection
	client := redis.NewClient(&redis.Options{
		Addr:                  *address,
		ContextTimeoutEnabled: true,
		ReadTimeout:           time.Second,
		WriteTimeout:          time.Second,
	})
	defer client.Close()
	engine := idem.New(redisstore.New(client, redisstore.Config{}), idem.WithLogger(quietLogger()))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: newHandler(&providerClient{url: *provider, http: &http.Client{}}, engine)}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Fprintf(stdout, "%shttp://%s\n", listeningOn, listener.Addr())

	ended := make(chan struct{})
	go func() {
		io.Copy(io.Discard, stdin)
		close(ended)
	}()
	select {
	case err := <-failed:
		return err
	case <-ended:
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return err
	}
	return engine.Close(ctx)
}

// quiet is a logger of go-redis that says nothing.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}
