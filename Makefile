# The commands of developers and CI; `make` lists them. Tools are pinned here and
# installed in .cache, so that an empty clone needs only Go, make and git.

GOLANGCI_VERSION  := v2.15.0
GOTESTSUM_VERSION := v1.13.0
CYCLONEDX_VERSION := v1.10.0

# Packages under test and their time limit. FUZZROUND is the number of executions of
# each fuzz target in `make test`; without any, `make test FUZZROUND=`, go reuses the
# results of packages that did not change. FUZZTIME is the time in `make fuzz`.
PKG       ?= ./...
TIMEOUT   ?= 20m
FUZZTIME  ?= 30s
FUZZROUND ?= 500x
BENCHTIME ?= 1s

# Tests are built without DWARF, which halves the time of a link, without the symbol table,
# which stack traces do not need, and without vet, which `make lint` runs completely.
TESTFLAGS := -vet=off -ldflags='-s -w'

# Extent of `make chaos`: sample (minutes), full (half an hour) or night. SEEDS is
# the number of seeds of the simulation that it plays. STATES is the limit of each
# exploration of `make explore`.
CHAOS ?= full
STATES ?= 300000
SEEDS ?= $(if $(filter sample,$(CHAOS)),1900,10000)

# Platforms of `make release`.
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64

# Extent of `make mutate`; SEED chooses the sample.
MUTANTS ?= 100
SEED    ?= 1

SHELL       := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

TOOLS     := $(CURDIR)/.cache/bin
GOLANGCI  := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)
GOTESTSUM := $(TOOLS)/gotestsum-$(GOTESTSUM_VERSION)
CYCLONEDX := $(TOOLS)/cyclonedx-gomod-$(CYCLONEDX_VERSION)
VERSION   := $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS   := -X main.version=$(VERSION)

.PHONY: help run build test e2e seeds explore lint fuzz mutate chaos interop bench verify release setup clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-9s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## serve on simulated venues; prints addresses, an API key and commands to try
	VENUEGATE_LOG_FORMAT=$${VENUEGATE_LOG_FORMAT:-console} bin/venuegate serve --demo

build: ## bin/venuegate, with the web console where Node and npm are
	@mkdir -p bin
	@.ci/console build
	go build -trimpath -ldflags '$(LDFLAGS)' -o bin/venuegate ./cmd/venuegate

test: setup $(GOTESTSUM) ## every test with the race detector, and a short fuzz round
	@if [ '$(PKG)' = ./... ]; then .ci/console build; .ci/console test; fi
	@race=; if .ci/have-cc; then race=-race; else echo '!! no C compiler: the tests run WITHOUT the race detector' >&2; fi; \
	runner=(go test); if [ -x $(GOTESTSUM) ]; then runner=($(GOTESTSUM) --format pkgname --); fi; \
	set -- $$race $(TESTFLAGS) $(if $(FUZZROUND),-exec "'$(CURDIR)/.ci/fuzzed' $(FUZZROUND)") -timeout $(TIMEOUT) $(PKG); \
	echo "$${runner[@]}" "$$@"; \
	"$${runner[@]}" "$$@"
	@if .ci/have-cc && [ '$(PKG)' = ./... ]; then $(MAKE) --no-print-directory seeds; fi

e2e: build ## the web console of the built binary in Chromium
	@.ci/console e2e

seeds: ## 600 seeds of the simulation (make test plays 25 with the race detector), and the other tests that it makes too slow
	go test $(TESTFLAGS) ./actors/simulation ./actors/account ./persistence/badgerstore ./persistence/storetest -count 1 \
		-run '^(TestSeeds|TestSameSeedSameTrace|TestExplore|TestKillAgainWithinTheStart|Test(Async)?(Memory)?Conforms|TestStoreDoesNotGrowUnderChurn|TestReserveIsEnoughForManyCancels)$$'

explore: ## every state of an account in all small scopes, up to STATES each (an hour)
	VENUEGATE_STATES=$(STATES) go test ./actors/account -run '^TestExplore$$' -count 1 -timeout 24h -v

lint: $(GOLANGCI) ## linters, formatting and import rules
	@.ci/console check
	@if [ -x $(GOLANGCI) ]; then $(GOLANGCI) run; \
	else echo '!! golangci-lint is not installed: running only go vet and gofmt' >&2; \
		go vet ./...; test -z "$$(gofmt -l $$(git ls-files '*.go') | tee /dev/stderr)"; fi
	go test ./cmd/venuegate -run '^TestImports'

fuzz: ## each fuzz target for FUZZTIME (30s), guided by coverage
	@.ci/fuzz $(FUZZTIME) $(PKG) -fuzz=.

mutate: ## MUTANTS (100) random changes of the core packages; prints those that no test notices
	go run ./cmd/venuegate/chaos/mutate -mutants $(MUTANTS) -seed $(SEED)

chaos: setup ## crash and fault runs against the built binary; CHAOS=sample is a short one
	@PATH=$$PATH:/sbin; command -v mkfs.ext4 >/dev/null || .ci/install e2fsprogs
	@mkdir -p bench/results
	@CHAOS=$(CHAOS) VENUEGATE_SEEDS=$(SEEDS) CHAOS_REPORT=$(CURDIR)/bench/results/chaos-$(VERSION).txt .ci/tagged chaos -p 1 -parallel 4 -timeout $(if $(filter night,$(CHAOS)),24h,60m)

interop: ## CCXT trades on the simulators, clients trade on the service (needs node and npm; Debian for Python)
	@/usr/bin/python3 -c 'import build, httpx, mypy, pytest, pytest_asyncio, setuptools, websockets, wheel' 2>/dev/null || \
		.ci/install mypy python3-build python3-httpx python3-pytest python3-pytest-asyncio python3-setuptools python3-websockets python3-wheel
	@.ci/tagged interop -timeout 30m

bench: build ## benchmarks: the service against the limits of this machine, then every package's
	@mkdir -p bench/results
	bin/venuegate bench | tee bench/results/$(VERSION).txt
	go test $(PKG) -run '^$$' -bench . -benchmem -benchtime $(BENCHTIME) | tee -a bench/results/$(VERSION).txt

verify: lint ## checks of a release besides the tests: modules, formatting, linters
	go mod verify
	go mod tidy -diff

release: $(CYCLONEDX) ## archives, SBOMs, image and checksums of the committed sources, in bin/release
	@CYCLONEDX=$(CYCLONEDX) .ci/release $(VERSION:%-dirty=%) bin/release $(PLATFORMS)
	@echo 'building $(firstword $(PLATFORMS)) again, in another folder'
	@CYCLONEDX=$(CYCLONEDX) .ci/release $(VERSION:%-dirty=%) bin/again $(firstword $(PLATFORMS)) >/dev/null
	@cd bin/again && grep -v -e -image.tar SHA256SUMS | (cd ../release && sha256sum -c) && rm -r ../again

setup: ## install what the tests need besides Go: a C compiler for the race detector
	@.ci/have-cc || .ci/install gcc libc6-dev
	@for tool in promtool caddy chromium; do command -v $$tool >/dev/null || \
		echo "!! $$tool is not installed: alert rules, Caddyfile or calls from a browser are NOT checked" >&2; done

$(GOLANGCI):
	@.ci/tool $@ github.com/golangci/golangci-lint/v2/cmd/golangci-lint $(GOLANGCI_VERSION)

$(CYCLONEDX):
	@.ci/tool $@ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod $(CYCLONEDX_VERSION)

$(GOTESTSUM):
	@.ci/tool $@ gotest.tools/gotestsum $(GOTESTSUM_VERSION)

clean: ## remove binaries and tools; the data directory stays
	rm -rf bin .cache
