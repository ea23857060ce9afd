# Everything a contributor runs. `make help` lists it.
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO          ?= go
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
	$(GO) test -race ./...

.PHONY: check
check: format lint generated test ## what CI runs

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
