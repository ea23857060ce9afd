// Payments shows what idemgen promises, by trying it: it starts servers of the
// payments API of openapi.yaml and a card provider that counts its charges,
// sends requests that are retried in every unlucky way, and prints what came of
// them. It exits with 1 where that is not what was promised.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	switch {
	case err == nil || errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errBroken):
		os.Exit(1)
	default:
		fmt.Fprintln(os.Stderr, "payments:", err)
		os.Exit(2)
	}
}

// errBroken: an observation breaks the promise. It has been printed.
var errBroken = errors.New("the promise does not hold")

func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) > 0 && args[0] == "serve" {
		return serve(args[1:], stdin, stdout, stderr)
	}
	flags := flag.NewFlagSet("payments", flag.ContinueOnError)
	flags.SetOutput(stderr)
	store := flags.String("store", "memory", "where records are kept: `memory`, with two engines in this process,\nor redis, with two server processes")
	address := flags.String("redis", "127.0.0.1:6379", "`address` of Redis, with -store redis")
	takes := flags.Duration("takes", 300*time.Millisecond, "how long the card provider takes")
	pairs := flags.Int("pairs", 0, "instead of the table, send this `number` of pairs of requests\nfor each of wait and reject, and count charges")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unknown argument %q", flags.Arg(0))
	}

	provider := newProvider(*takes)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: provider}
	go server.Serve(listener)
	defer server.Close()
	url := "http://" + listener.Addr().String()

	var c cluster
	switch *store {
	case "memory":
		c = newEmbedded(url)
	case "redis":
		program, err := os.Executable()
		if err != nil {
			return err
		}
		c = &processes{program: program, redis: *address, provider: url}
	default:
		return fmt.Errorf("-store %s: want memory or redis", *store)
	}
	d, err := newDemo(ctx, c, provider)
	if err != nil {
		return err
	}
	defer d.close()
	if *pairs > 0 {
		return d.countPairs(*pairs, stdout)
	}
	return d.printTable(scenarios(), stdout)
}
