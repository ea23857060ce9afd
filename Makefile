# Everything a contributor runs. `make help` lists it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO          ?= go
# Packages whose tests start many servers, one package at a time.
BUSY        := -E '/runtime(/chaos|/proof|/redisstore)?$$'
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## show the promise end to end, on the embedded store
	@$(GO) generate ./examples/payments
	@$(GO) run ./examples/payments

.PHONY: test
test: redis ## run every test, on real Redis servers, with the race detector
	$(GO) test -race $$($(GO) list ./... | grep -v $(BUSY))
	$(GO) test -race -p 1 $$($(GO) list ./... | grep $(BUSY))

# A module of its own, so that what it compares with stays out of go.mod.
.PHONY: bench
bench: redis ## measure as ratios to bare commands, in one run; BENCH_QUICK=1 ends within 50 s
	@cd bench && $(GO) run .

.PHONY: chaos
chaos: redis ## prove the promise under faults: the long part, up to 20 minutes
	IDEM_CHAOS_LONG=1 $(GO) test -count=1 -timeout 20m -v ./runtime/chaos ./runtime/proof

# Not part of check: it downloads a browser and three hundred packages, and a
# change of the schemas, of the ruleset or of the page alone can break it. That
# schemas and reader agree, and that the page is complete, make test sees too.
.PHONY: editors
editors: ## try schemas, Spectral's ruleset and the page for client developers in the real programs
	@.ci/install-editors
	@mkdir -p bin
	$(GO) build -o bin/idemgen ./cmd/idemgen
	cd testdata/editors && IDEMGEN=$(CURDIR)/bin/idemgen npm test --silent

# The race detector allocates as well: these tests leave that out under it.
.PHONY: smoke
smoke: redis ## hold what a request allocates and sends, as exact counts
	$(GO) test -count=1 -run 'Allocations|CommandsPerRequest' ./runtime/...

.PHONY: check
check: format lint generated smoke test ## what CI runs

.PHONY: generate
generate: ## write the generated files of examples anew
	$(GO) generate ./...

.PHONY: redis
redis:
	@.ci/install-redis

.PHONY: format
format:
	@unformatted=$$(gofmt -l $$(git ls-files -co --exclude-standard '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not gofmt-clean:"; echo "$$unformatted"; exit 1; fi

.PHONY: lint
lint:
	$(GO) vet ./...
	cd bench && $(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

# Generated files must be what the generator writes now. They are compared with
# the files as they were before, committed or not.
.PHONY: generated
generated:
	@before=$$(git ls-files -co --exclude-standard '*.gen.go' | xargs sha256sum); \
	$(GO) generate ./...; \
	after=$$(git ls-files -co --exclude-standard '*.gen.go' | xargs sha256sum); \
	if [ "$$before" != "$$after" ]; then \
		echo "generated files are out of date: run make generate and commit"; \
		diff <(echo "$$before") <(echo "$$after"); exit 1; fi
