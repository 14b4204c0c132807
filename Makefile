# Bare `make` says what there is. Everything here is an ordinary command that can be typed by hand as well.

SHELL := bash
.SHELLFLAGS := -eu -o pipefail -c

BASELINE ?= ../shared/peers/hashmap_baseline.cpp
PAIRS    ?= 5
SEED     ?= 0
BENCH    ?= .
N        ?= 20
AT       ?=
ARGS     ?=
PKG      ?= ./...
FUZZTIME ?= 5
FAULTS   ?= 200
TRIALS   ?= 1000
SEEDS    ?=
CLICKS   ?= 100000
TIMES    ?= 50
BASE     ?= HEAD~1
ON       ?= Triangle of 21
CONFIG   ?= configs/english.yaml
comma    := ,
IMAGE    ?= pagoda:dev

.PHONY: help build book release image chart alerts browser vendor player test flaky race vet fmt lint fuzz e2e e2e-long damage problems hostile sockets hostile-sockets simulate mutations mutants faults bench scale gobench gobench-save bench-plan ci clean

help: ## what can be made (this list)
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
	@echo
	@echo "  variables: BASELINE=FILE PAIRS=N (bench), SEED=N (e2e, damage, faults, hostile, hostile-sockets; 0: a new one),"
	@echo "             SEED=N SEEDS=N (simulate), TRIALS=N (damage, hostile, hostile-sockets),"
	@echo "             TIMES=N BASE=COMMIT PKG=PACKAGES (flaky), FAULTS=N (faults), CONFIG=FILE (scale),"
	@echo "             CONFIGS=FILES (bench-plan; some of configs), BENCH=REGEXP PKG=PACKAGES (gobench),"
	@echo "             N=CHANGES SEED=N PKG=PACKAGES AT=FILE:LINE ARGS=FLAGS (mutants),"
	@echo "             CLICKS=N ON=TITLE (player; a small run of the page by the beginning of its title),"
	@echo "             FUZZTIME=SECONDS (fuzz), IMAGE=NAME:TAG (image),"
	@echo "             VERSION=NAME REVISION=COMMIT (build, release, image; instead of what git says)"

build: ## both programs, statically linked, into .bin/
	CGO_ENABLED=0 go build -trimpath -ldflags "$$(tools/stamp)" -o .bin/ ./cmd/...

book: ## the book of results of the records in docs/book/records, into .book/
	go run ./cmd/coordinator publish $$(printf -- '--record %s ' docs/book/records/*.json) --out .book --title 'Pagoda: results'

release: ## both programs for linux and darwin, amd64 and arm64, with SHA256SUMS, into .release/; VERSION=v1.2.0 names it
	rm -rf .release
	tools/release .release

image: ## container image of both programs for amd64 and arm64 into .image/: OCI layout, archive for docker load, root folder
	go run -C tools/image . -source "$(CURDIR)" -out "$(CURDIR)/.image" -name $(IMAGE)

browser: ## tests of the page in Chromium, which is fetched from Debian when it is missing (as root); screenshots
	tools/browser-test install

vendor: ## fetches the libraries of the page from npm, in the versions of internal/app/explore/page/vendored/PACKAGES
	tools/vendor-page

player: ## CLICKS jumps of a random player: against a slow reference, and on the page in Chromium against query
	go test -count 1 -timeout 120m -v -run '^TestPlay$$' ./internal/app/explore -args -clicks $(CLICKS)
	CLICKS=$(CLICKS) ON='$(ON)' tools/browser-test install -run TestRandomPlayer -timeout 120m

chart: ## writes the Helm chart's templates and the PrometheusRule, and compares chart and kustomize object by object
	go run -C tools/chart .
	go test -C tools/chart -count 1 ./...

alerts: ## tests of the alerts and the dashboard in deploy/observability, with Prometheus's own engine
	go test -C tools/alerts -count 1 ./...

test: ## unit and property tests
	go test ./...

flaky: ## the short tests of packages changed since BASE, TIMES times on busy processors
	BASE=$(BASE) tools/flaky $(TIMES) $(filter-out ./...,$(PKG))

race: ## the short tests under the race detector
	go test -race -short ./...

vet: ## go vet, end-to-end tests included
	go vet ./...
	go vet -tags e2e ./test/...

fmt: ## formats the source
	gofmt -w .

lint: ## golangci-lint, and a proof that the room rules bite
	@tools/get golangci-lint >/dev/null
	.bin/golangci-lint run ./...
	tools/rooms-bite

fuzz: ## a few seconds for every fuzz target
	tools/fuzz $(FUZZTIME)

e2e: ## whole runs: known results, kills, worker counts, damaged stores
	go test -tags e2e -count 1 -timeout 20m -v ./test/e2e -args -seed $(SEED)

e2e-long: ## the same, and the French board (minutes, up to 24 GiB)
	go test -tags e2e -count 1 -timeout 180m -v ./test/e2e -args -seed $(SEED) -long

damage: ## TRIALS folders of small runs, damaged at random: what run and verify make of them
	go test -count 1 -timeout 120m -v ./test/damage -args -trials $(TRIALS) -seed $(SEED) -places

problems: ## solves the 372 problems of peg solitaire in internal/catalog/solitaire/solve/testdata, and prints their times
	go test -tags long -count 1 -timeout 60m -run TestProblems -v ./internal/catalog/solitaire/solve | grep -v -e '=== ' -e '--- PASS: TestProblems/'

hostile: ## TRIALS runs in virtual time with a worker that does at random what it should not, beside two honest ones
	go test -tags hostile -count 1 -timeout 120m -v -run HostileMix ./internal/run/engine -args -mixtures $(TRIALS) -seed $(SEED)

sockets: ## a fleet of processes for each way in which a worker can be hostile: alone, and a family of four; liars alone
	go test -tags sockets -count 1 -timeout 30m -parallel 12 -v -skip TestMixtures ./test/hostile

hostile-sockets: ## TRIALS fleets of processes with one to four workers that do at random what they should not
	go test -tags sockets -count 1 -timeout 24h -parallel 4 -v -run TestMixtures ./test/hostile -args -mixtures $(TRIALS) -seed $(SEED)

simulate: ## SEEDS simulated clusters under faults, from SEED on; SEED=N alone prints the trace of one that fails
	tools/simulate -test.timeout 24h -test.v -test.run '^TestSeeds$$' -seed $(if $(filter 0,$(SEED)),1,$(SEED)) \
		-seeds $(if $(SEEDS),$(SEEDS),$(if $(filter 0,$(SEED)),1000,1)) $(if $(SEEDS),,$(if $(filter 0,$(SEED)),,-shrink))

mutations: ## breaks the program on purpose, in ways that the simulated cluster has to find
	tools/simulate
	go test -tags mutations -count 1 -timeout 10h -v -run '^TestMutations$$' ./test/simulate

bench: ## games, solutions, positions, winnable positions: CPU and memory against the hash-map baseline and the machine; two workers
	go run ./bench -baseline $(BASELINE) -pairs $(PAIRS)

bench-plan: ## what plan says of some configs against what their runs take, or of those in CONFIGS; some ten minutes
	go run ./bench -plan $(CONFIGS)

scale: ## how far a run scales: simulated on a cluster, and on worker processes of this machine (as root)
	go run ./bench/scale -config "$(CONFIG)" $(if $(filter 0,$(shell id -u)),-fleet 1$(comma)2$(comma)4$(comma)8)

mutants: ## N random changes of each package of PKG, one at a time: which do its own tests let pass?
	go run -C tools ./mutants -root "$(CURDIR)" -n $(N) -seed $(SEED) -at '$(AT)' -args '$(ARGS)' $(PKG)

faults: ## a fleet of processes under FAULTS faults: killed, frozen, cut off, lied to (as root; some minutes)
	go test -tags faults -count 1 -timeout 60m -v ./test/faults -args -seed $(SEED) -faults $(FAULTS)

gobench: ## Go benchmarks, ten times each; compared with the saved ones when there are any
	@mkdir -p .bench
	go test -run '^$$' -bench '$(BENCH)' -benchmem -count 10 $(PKG) | tee .bench/new.txt
	@if [ -f .bench/saved.txt ]; then tools/get benchstat >/dev/null && .bin/benchstat .bench/saved.txt .bench/new.txt; \
	else echo "nothing saved to compare with; keep these with: make gobench-save"; fi

gobench-save: ## keeps the last Go benchmark results for comparison
	cp .bench/new.txt .bench/saved.txt

ci: ## all that must hold before a change is kept
	.ci/run

clean: ## removes what was built, never a run
	rm -rf .bin .bench .book .image .release
