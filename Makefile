# "make" prints the targets. What CI runs is in .ci/run.

GO          ?= go
# Pinned, and run without installing; override with a path to an installed one.
GOFUMPT     ?= $(GO) run mvdan.cc/gofumpt@v0.12.0
STATICCHECK ?= $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2

PKGS        ?= ./...
# Modules of their own, so that what they need is not needed by all.
MODULES     = mockupstream/conformance sim/benchwall
TESTFLAGS   ?=
RACEFLAGS   ?=
FUZZTIME    ?= 60s
# Randomised scenarios of the swarm: few in "test", as many as you like in "swarm".
SEEDS       ?= 10000
SEEDS_SHORT ?= 200
SEEDS_FULL  ?= 5000
# The benchmarks of the whole, as one table; "make bench-all" runs those of every room.
BENCHPKGS   ?= ./sim
BENCHFLAGS  ?= -run '^TestBenchTable$$' -bench.table

.DEFAULT_GOAL := help
.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: build
build: ## build bin/simload, stamped with version and commit
	$(GO) build -trimpath -buildvcs=auto -o bin/simload ./cmd/simload

.PHONY: cross
cross: ## compile for the systems that nothing here runs on
	@for os in windows darwin freebsd; do echo $$os; GOOS=$$os $(GO) build ./... || exit 1; done

# Packages whose tests go by the wall clock or start processes. They have the machine to themselves: beside
# others that compute, a run on the wall clock says of itself that it was late.
LIVE        = /(cmd/simload|sim|sim/fleet(/.*)?|stack|stack/redisstore)$$

# go test with some flags: the others together, then these one by one.
define go_test
$(GO) list $(PKGS) | grep -vE '$(LIVE)' | xargs -r $(GO) test $(1)
$(GO) list $(PKGS) | grep -E '$(LIVE)' | xargs -r $(GO) test -p 1 $(1)
endef

.PHONY: test
test: export SIMLOAD_SWARM_SEEDS = $(SEEDS_SHORT)
test: ## the short tier: vet, and every test with 200 seeds of the swarm
	$(GO) vet $(PKGS)
	$(call go_test,-timeout 14m $(TESTFLAGS))

.PHONY: race
race: ## every test under the race detector (RACEFLAGS=-short for less)
	$(call go_test,-race -timeout 30m $(RACEFLAGS))

.PHONY: lint
lint: ## gofumpt, vet and staticcheck; each prints nothing when content
	@out="$$($(GOFUMPT) -l .)" || exit 1; if [ -n "$$out" ]; then echo "not formatted (run gofumpt -w):"; echo "$$out"; exit 1; fi
	$(GO) vet $(PKGS)
	$(STATICCHECK) $(PKGS)
	@set -e; for dir in $(MODULES); do (cd $$dir && $(GO) vet ./... && $(STATICCHECK) ./...); done

# Packages whose tests hold a line, as ./path.
packages_with = $$(grep -rlF --include='*_test.go' '$(1)' . | xargs -rn1 dirname | sort -u)
UPDATE_FLAG   = flag.Bool("update"

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME (default 60s) each
	@set -e; for pkg in $(call packages_with,func Fuzz); do \
		names="$$($(GO) test -list '^Fuzz' $$pkg)"; \
		for name in $$(echo "$$names" | grep '^Fuzz'); do \
			echo "$$pkg $$name"; \
			$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

.PHONY: golden
golden: ## rewrite the golden files; look at the difference before you commit it
	@set -e; for pkg in $(call packages_with,$(UPDATE_FLAG)); do \
		$(GO) test -count=1 $$pkg -update; \
	done

.PHONY: picture
picture: ## draw the README's picture again
	$(GO) run ./cmd/simload run scenarios/2000-agents.yaml --quiet -o docs/2000-agents.svg >/dev/null

# Where the browser tests put the pages that they look at.
PAGES       ?= $(or $(TMPDIR),/tmp)/simload-pages
.PHONY: browser
browser: build ## the HTML report in a real Chromium, with axe; SIMLOAD_SHOTS=DIR takes pictures
	@for program in node npm chromium; do \
		command -v $$program >/dev/null && continue; \
		echo "make browser: $$program is not installed"; test -z "$$SIMLOAD_REQUIRE"; exit; \
	done; \
	set -e; cd report/htmlpage/browser; npm ci --silent --no-audit --no-fund --ignore-scripts; \
	node pages.mjs $(CURDIR)/bin/simload $(CURDIR) $(PAGES); \
	SIMLOAD_PAGES=$(PAGES) node --test --test-reporter=spec

.PHONY: claims
claims: ## every claim with ten replications; writes scenarios/claims/README.md
	$(GO) run ./sim/claims

.PHONY: claims-wall
claims-wall: ## the claims that only real sockets can show
	SIMLOAD_BENCH_WALL=1 $(GO) test ./sim -run '^Test(Claim(PoolSplit|PortExhaustion)|HundredThousand)$$' -count=1 -v -timeout 20m

.PHONY: compare
compare: ## what comparisons are claimed to find: 20 seeds of each regression, 400 null comparisons
	SIMLOAD_FULL=1 $(GO) test ./sim -run '^Test(RegressionsAreFound|NullComparisons)$$' -count=1 -v -timeout 30m

.PHONY: conformance
conformance: ## the vendors' own SDKs against the mock; the JavaScript ones if node is there
	@if command -v npm >/dev/null; then cd mockupstream/conformance/node && npm ci --silent --no-audit --no-fund --ignore-scripts; fi
	cd mockupstream/conformance && $(GO) vet ./... && $(GO) test $(TESTFLAGS) ./...

.PHONY: agree
agree: ## a minute of the same open loop on both clocks, as a table
	SIMLOAD_AGREE=1 $(GO) test ./sim -run '^TestAgreement$$' -count=1 -v

.PHONY: bench-wall
bench-wall: ## measure real sockets beside a bare handler, vegeta and a sleeping pacer (needs wrk)
	SIMLOAD_BENCH_WALL=1 $(GO) test ./sim -run '^Test(Streams|HundredThousand)$$' -count=1 -v -timeout 20m
	cd sim/benchwall && $(GO) build -o benchwall . && ./benchwall

.PHONY: bench
bench: ## measure speed and memory against the stated goals
	$(GO) test -count=1 -v -timeout 30m $(BENCHPKGS) $(BENCHFLAGS)

.PHONY: bench-plan
bench-plan: ## a frontier of 400 points on one processor and on two, beside a spinning loop
	$(GO) test -count=1 -v -timeout 60m ./sim/plan -run '^TestBenchSweep$$' -bench.table

.PHONY: bench-fleet
bench-fleet: ## what a fleet of processes costs: a sweep by 1, 2 and 4 workers, and grants through Redis beside the gate in memory
	$(GO) test -count=1 -v -timeout 30m ./sim/fleet -run '^TestBenchFleet$$' -bench.table
	SIMLOAD_BENCH_FLEET=1 $(GO) test ./stack/redisstore -run '^TestBenchFleet$$' -count=1 -v

.PHONY: bench-all
bench-all: ## run the benchmarks of every room
	$(GO) test -run '^$$' -bench . -benchmem -timeout 30m $(PKGS)

.PHONY: fleet
fleet: ## eight processes that share limits through Redis, in real time: four minutes with, seven without
	SIMLOAD_FULL=1 $(GO) test ./sim -run '^TestEightProcesses' -count=1 -v -timeout 20m

.PHONY: swarm
swarm: ## SEEDS (default 10000) randomised scenarios against every invariant
	SIMLOAD_SWARM_SEEDS=$(SEEDS) $(GO) test ./sim -run Swarm -count=1 -timeout 0

.PHONY: check
check: lint test race ## what must pass before a change is merged

.PHONY: test-full
test-full: lint conformance agree compare ## the long tier: uncached tests, race detector, 5000 seeds, a minute per fuzz target
	SIMLOAD_FULL=1 SIMLOAD_SWARM_SEEDS=$(SEEDS_FULL) $(GO) test -count=1 -timeout 0 $(PKGS)
	$(MAKE) race RACEFLAGS=-count=1
	$(MAKE) fuzz
