# The two commands of a newcomer are "make demo" and "make test".

STATICCHECK = honnef.co/go/tools/cmd/staticcheck@v0.8.2
BEFORE = examples/matmul.sexp
RIGHT = examples/matmul-blocked.sexp
WRONG = examples/matmul-blocked-as-printed.sexp

.PHONY: all demo test planted lint deps bench same

all: bin/tv

# Go decides itself what is out of date.
.PHONY: bin/tv
bin/tv:
	go build -o $@ ./cmd/tv

# The headers of Z3, which the solver inside is compiled against, and what compiles it.
deps:
	@./.ci/deps gcc libz3-dev

# Two real verdicts: the blocked product of the Glenside paper put right, and as its Figure 7 prints it.
demo: deps bin/tv
	@for after in $(RIGHT) $(WRONG); do \
		echo; echo '$$ bin/tv check $(BEFORE)' $$after; \
		bin/tv check $(BEFORE) $$after; echo "exit status $$?"; \
	done

# The tests ask the solvers that run as processes too.
test:
	@./.ci/deps gcc libz3-dev z3 cvc5
	go test -timeout 30m ./...

# The tests of a build in which faults can be planted in the prover; see testdata/planted/README.md.
planted:
	go run ./internal/planted/overlay -o bin/planted
	go test -timeout 30m -overlay bin/planted/overlay.json -tags planted -run '^TestPlanted' ./equiv ./fuzz

# Whole processes, the median of nine after a warm-up; see doc/performance.md. JSON goes to standard output.
bench: deps bin/tv
	@go build -o bin/naive ./equiv/naive
	@go run ./internal/bench -naive bin/naive bin/tv

lint:
	@files=$$(gofmt -l .); if [ -n "$$files" ]; then echo "gofmt -w $$files"; exit 1; fi
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
