# The two commands of a newcomer are "make demo" and "make test".

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
BEFORE = examples/matmul.sexp
RIGHT = examples/matmul-blocked.sexp
WRONG = examples/matmul-blocked-as-printed.sexp

.PHONY: all demo designs test test-all planted stress solvers lint deps bench same polybench web man

all: bin/tv

# Go decides itself what is out of date.
.PHONY: bin/tv
bin/tv:
	go build -o $@ ./cmd/tv
	go build -o bin/tv-cluster ./cmd/tv-cluster

# The headers of Z3, which the solver inside is compiled against, and what compiles it.
deps:
	@./.ci/deps gcc libz3-dev

# Two real verdicts: the blocked product of the Glenside paper put right, and as its Figure 7 prints it.
demo: deps bin/tv
	@for after in $(RIGHT) $(WRONG); do \
		echo; echo '$$ bin/tv check $(BEFORE)' $$after; \
		bin/tv check $(BEFORE) $$after; echo "exit status $$?"; \
	done

# Tests come in tiers, which internal/tier sorts out. They ask the solvers that run as processes too.
solvers:
	@./.ci/deps gcc libz3-dev z3 cvc5

# Each file of the corpus once, and the tests of each package. What vet says make lint says.
test: solvers
	go test -short -vet=off -timeout 30m ./...
	@echo "internal/tier/tiers.txt lists what make test-all does beside this"

# Everything but stress. TESTFLAGS=-vet=off leaves vet to make lint.
test-all: solvers planted
	go test $(TESTFLAGS) -timeout 60m ./...

# The tests of a build in which faults can be planted in the prover and in the checker; see testdata/planted/README.md.
planted:
	go run ./internal/planted/overlay -o bin/planted
	$(PLANTED) -run '^TestPlanted' -timeout 30m ./equiv ./fuzz ./cmd/tv/internal/cli ./proofs/bits ./proofs/mapped

PLANTED = go test $(TESTFLAGS) -overlay bin/planted/overlay.json -tags planted

# Which of 1,056 designs fit a slice of an FPGA, with proofs; doc/found-fpga.md has the table.
designs:
	go test ./cmd/tv/internal/cli -run '^TestDesigns$$' -count 1 -update -timeout 30m

# For nights: all tests, drawing more, what grows faster than the corpus, PART=I/N of it, and a campaign of its own cases.
PART = 0/1
STRESS = -run '^TestStress' -count 1 -timeout 0
stress: solvers bin/tv
	go run ./internal/planted/overlay -o bin/planted
	TV_STRESS=$(PART) go test -count 1 -timeout 0 ./...
	TV_STRESS=$(PART) $(PLANTED) $(STRESS) ./equiv ./fuzz
	bin/tv fuzz self --budget 1h --shard $(PART) --seed $$(date +%Y%m%d)

# Whole processes, the median of nine after a warm-up; see doc/performance.md. JSON goes to standard output.
bench: deps bin/tv
	@go build -o bin/naive ./equiv/naive
	@go run ./internal/bench -naive bin/naive bin/tv

# The kernels of testdata/polybench against what mlir-opt makes of them: what is said of each, and how long that takes.
# TESTFLAGS=-update writes the table, and makes the forms anew where mlir-opt-16 and mlir-opt-19 are installed.
polybench: deps
	go test ./internal/polybench -v -count 1 -timeout 60m -kernels . $(TESTFLAGS)

# The page to play with, a folder that any file server serves: python3 -m http.server -d bin/web
# Each of its modules has at most so many bytes, of which nothing is inlined: a third of them would be copies.
WEBMAX = 8000000
WEB = bin/web
web:
	mkdir -p $(WEB)
	@for part in tensors circuits; do \
		GOOS=js GOARCH=wasm go build -tags $$part -trimpath -gcflags=all=-l -ldflags "-s -w" -o $(WEB)/tv.wasm ./cmd/tv || exit; \
		gzip -9 -n -c $(WEB)/tv.wasm > $(WEB)/$$part.bin; rm $(WEB)/tv.wasm; \
		size=$$(wc -c < $(WEB)/$$part.bin); echo "$(WEB)/$$part.bin has $$size bytes"; \
		if [ $$size -gt $(WEBMAX) ]; then echo "more than $(WEBMAX)"; exit 1; fi; \
	done
	cp "$$(go env GOROOT)/lib/wasm/wasm_exec.js" web/index.html web/style.css web/page.js web/worker.js $(WEB)/
	go run ./web examples > $(WEB)/examples.json

# Manual pages, in bin/man: man -l bin/man/tv-check.1
man:
	go run ./cmd/tv/man bin/man

lint:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "gofmt -w $$files"; exit 1; fi
	go mod tidy -diff
	go vet -tags planted ./...
	go run $(STATICCHECK) -tags planted ./...

# What tv says of the whole corpus, certificates and reports, byte for byte as at the revision BASE: silent but for a count
# where nothing changed. For changes that are to change no answer.
BASE = HEAD
same: deps bin/tv
	@rm -rf build/base && git worktree prune && git worktree add -q --detach build/base $(BASE)
	cd build/base && go build -o ../tv-base ./cmd/tv
	@git worktree remove --force build/base
	go run ./internal/snapshot -o build/snapshot-base build/tv-base
	go run ./internal/snapshot -o build/snapshot -against build/snapshot-base bin/tv
