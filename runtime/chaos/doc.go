// Package chaos has no code of its own. Its tests show that the promise holds
// under faults: worker processes, each an engine on a store in Redis, serve real
// HTTP requests of clients that retry, while processes are killed and stopped
// and connections are cut, delayed and emptied. An effects ledger in the test
// process writes down what every attempt did.
//
// For each fault the tests count how many effects and how many answers a key
// has, and print one table. The quick part runs with every other test; make
// chaos runs all of it.
package chaos
