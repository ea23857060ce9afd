package redisstore_test

import (
	"context"
	"log"
	"time"

	idem "github.com/idemgen/idemgen/runtime"
	"github.com/idemgen/idemgen/runtime/redisstore"
)

// A service that refuses to start on a server that may lose or evict records,
// and to run a request before one replica knows of it.
func ExampleOpen() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	store, err := redisstore.Open(ctx, "redis+sentinel://sentinel-1,sentinel-2,sentinel-3/main", redisstore.Config{
		Strict:       true,
		WaitReplicas: 1,
	})
	if err != nil {
		log.Fatal(err)
	}
	engine := idem.New(store)
	defer engine.Close(context.Background()) // closes the store as well
}

// Findings are values, for a health check or a page of the operators.
func ExampleStore_Check() {
	store, err := redisstore.Open(context.Background(), "redis://localhost:6379", redisstore.Config{})
	if err != nil {
		log.Fatal(err)
	}
	defer store.Close()
	findings, err := store.Check(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range findings {
		if f.Severity == redisstore.Warning {
			log.Printf("%s: %s; %s", f.Server, f.Problem, f.Fix)
		}
	}
}
