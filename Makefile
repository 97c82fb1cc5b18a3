# Targets need only Go, make and git, unless their help says otherwise.

export CGO_ENABLED := 0
export GOTOOLCHAIN := local

BIN      := $(CURDIR)/bin
TOOLS    := $(BIN)/tools
VERSION  ?= $(shell git describe --tags --always --abbrev=12 --dirty 2>/dev/null || echo unknown)
REVISION ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
LDFLAGS  := -s -w -X github.com/resource-plugins/krm-functions/internal/cli.Version=$(VERSION)
FUZZTIME ?= 30s
# Timeout for the tests of a package. A busy machine takes ten times as long as an idle one.
TIMEOUT  ?= 60m
PLATFORMS ?= linux/amd64,linux/arm64
PARALLELISM  ?= 2
RELEASE_DATE ?= 1970-01-01

# The components of a Kubernetes node. Their version is set with linker flags, since it is not that of this repository.
NODE_PARTS   := $(addprefix $(TOOLS)/,kube-apiserver kube-controller-manager kube-proxy kube-scheduler kubectl kubelet)
NODE_VERSION  = $(shell awk '$$1 == "require" && $$2 == "k8s.io/kubernetes" {print $$3}' tools/kubernetes/go.mod)
NODE_FLAGS    = $(foreach v,gitVersion=$(NODE_VERSION) gitMajor=1 gitMinor=$(word 2,$(subst ., ,$(NODE_VERSION))),\
  -X k8s.io/component-base/version.$v)
# The control plane of another version, with which plugins are tested.
OTHER_CONTROL_PLANE := $(addprefix $(TOOLS)/kubernetes133/,kube-apiserver kube-controller-manager)

.PHONY: help
help: ## show this help
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## build the functions and rplug into bin/
	@echo "make: compiling the functions and rplug into bin/" >&2
	@GOWORK=off go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/ ./functions/... ./cmd/... ./kubebuilder/cmd/...

.PHONY: kubebuilder
kubebuilder: build ## install the external plugin of kubebuilder (ROOT=DIR for another folder)
	@$(BIN)/rplug kubebuilder install $(if $(ROOT),--root $(ROOT))

.PHONY: images
images: ## build the images of the functions and of programs in Pods into bin/images (PLATFORMS=linux/amd64 is faster)
	@GOWORK=off go run -C tools/images . -checkout $(CURDIR) -output $(BIN)/images -platforms $(PLATFORMS) \
	  -version $(VERSION) -revision $(REVISION)

.PHONY: push
push: ## push the images of `make images` to REGISTRY, and print what to write in rplug.yaml
	@$(MAKE) --silent --no-print-directory images >&2 # what is pushed is printed once
	@GOWORK=off go run -C tools/images . push -images $(BIN)/images -registry '$(REGISTRY)'

# The tools that GoReleaser runs are found on the PATH. In a clone without a remote it reads no commit and no date, so there is
# one; the network is not used.
.PHONY: release-snapshot
release-snapshot: $(TOOLS)/goreleaser $(TOOLS)/sbom ## build the archives, packages and manifests of a release into bin/release
	@PATH="$(TOOLS):$$PATH" GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=remote.origin.url \
	  GIT_CONFIG_VALUE_0=https://github.com/resource-plugins/krm-functions \
	  goreleaser release --snapshot --clean --skip=sign --parallelism=$(PARALLELISM)

.PHONY: release-test
release-test: release-snapshot ## install what was built in a fresh Debian, and build it twice again (root, debootstrap, docker-registry)
	go test -tags e2e -timeout $(TIMEOUT) -v ./test/release

.PHONY: release-files
release-files: # completions and man pages, which GoReleaser packs
	@rm -rf $(BIN)/release-files && mkdir -p $(BIN)/release-files/completions $(BIN)/release-files/man
	@GOWORK=off go build -trimpath -ldflags '$(LDFLAGS)' -o $(BIN)/release-files/rplug ./cmd/rplug
	@cd $(BIN)/release-files && ./rplug completion bash > completions/rplug.bash && \
	  ./rplug completion zsh > completions/_rplug && ./rplug completion fish > completions/rplug.fish && \
	  ./rplug man --date $(RELEASE_DATE) man && gzip -9n man/*.1 && rm rplug

.PHONY: demo
demo: build $(TOOLS)/kustomize ## render the examples with kustomize: to a file and a summary, or into a pipe
	@if [ -t 1 ]; then \
	  $(DEMO) > $(BIN)/demo.yaml && echo && echo "bin/demo.yaml has these objects:" && \
	  sed -n 's/^kind: //p' $(BIN)/demo.yaml | sort | uniq -c && echo && \
	  echo "Read them:   less bin/demo.yaml" && \
	  echo "Apply them:  kubectl create namespace databases; kubectl create namespace shop; kubectl apply -f bin/demo.yaml"; \
	else $(DEMO); fi

DEMO := $(TOOLS)/kustomize build --enable-alpha-plugins --enable-exec .

.PHONY: shop
shop: build ## render examples/shop: a database, a fork of the catalog that uses it, and routes
	@$(BIN)/render-phase $(CURDIR)/examples/postgres/plugin.yaml $(CURDIR)/examples/shop
	@echo ---
	@$(BIN)/render-sandbox --routing gateway-api $(CURDIR)/examples/postgres/plugin.yaml $(CURDIR)/examples/shop

.PHONY: stacks
stacks: build $(TOOLS)/kustomize ## render examples/stacks: stacks for a Job and as objects, and Crossplane's packages of today
	@for overlay in install-job install-objects xpkg; do \
	  echo "# examples/stacks/$$overlay"; \
	  $(TOOLS)/kustomize build --enable-alpha-plugins --enable-exec examples/stacks/$$overlay || exit; \
	  echo ---; \
	done

.PHONY: check
check: ## run the unit tests of the core, without those that take long
	go test -short -timeout $(TIMEOUT) ./api/... ./pkg/... ./internal/... ./functions/...

.PHONY: test
test: build $(TOOLS)/kustomize $(TOOLS)/helm4 ## run all tests that need neither root nor a cluster
	@echo "make: compiling the tests; then each package has a line" >&2
	go test -timeout $(TIMEOUT) ./... ./runtime/...
	PATH="$(TOOLS):$$PATH" GOWORK=off go test -C conformance -timeout $(TIMEOUT) ./...
	GOWORK=off go test -C tools/images -timeout $(TIMEOUT) ./...
	GOWORK=off go test -C tools/sbom -timeout $(TIMEOUT) ./...
	GOWORK=off go test -C tools/recording -count 1 -timeout $(TIMEOUT) ./...
	GOWORK=off go test -C tools/prose -timeout $(TIMEOUT) ./...

.PHONY: conformance
conformance: build ## test the functions against the KRM Functions Specification (conformance/README.md)
	@GOWORK=off go build -C conformance -trimpath -ldflags '-s -w' -o $(BIN)/ ./cmd/...
	@test/integration/conformance/run $(BIN)/krm-conformance programs $(BIN)

.PHONY: foreign
foreign: ## test functions of other projects, and write docs/reference/conformance.md (network, npm; 15 minutes)
	@GOWORK=off go build -C conformance -trimpath -ldflags '-s -w' -o $(BIN)/ ./cmd/...
	@cd tools/foreign && GOWORK=off go run . -suite $(BIN)/krm-conformance -bin $(BIN)/foreign \
	  -data $(CURDIR)/conformance/functions -page $(CURDIR)/docs/reference/conformance.md

.PHONY: scaffolds
scaffolds: build $(TOOLS)/cel $(TOOLS)/kubebuilder $(TOOLS)/kubebuilder45 ## test external plugins, and what they scaffold, with the real kubebuilder
	TEST_SKIPS=none go test -timeout $(TIMEOUT) ./kubebuilder/test

.PHONY: browser
browser: ## test the page of rplug report in a browser (apt-get install chromium poppler-utils)
	GOWORK=off go test -C test/integration/browser -count 1 -timeout $(TIMEOUT) -v ./...

.PHONY: oracle
oracle: $(TOOLS)/crossplane ## compare rplug unpack --compatible with crossplane v0.10.0 on 10,000 packages
	TEST_ROUNDS=20 TEST_SKIPS=none go test -timeout $(TIMEOUT) -v -run 'areThoseOfV010|printsWhatV010Prints$$' ./stacks/api/v0 ./stacks/v010

.PHONY: rights
rights: $(TOOLS)/rights ## compare the rights of 2,000 packages with the API server's own validation and rules
	TEST_SKIPS=none go test -timeout $(TIMEOUT) -v -run RandomPackages ./stacks/rights

.PHONY: engines
engines: $(TOOLS)/engines $(TOOLS)/health ## hold what is rendered against the code of Argo Workflows and Tekton (8 minutes to build)
	TEST_ROUNDS=10 TEST_SKIPS=none go test -timeout $(TIMEOUT) -v -run Engines ./pkg/render ./internal/function ./test/docs

.PHONY: e2e
e2e: build $(NODE_PARTS) $(TOOLS)/helm $(TOOLS)/kustomize $(if $(filter TestEngine%,$(E2E)),engine-controllers) $(if $(filter TestArgoCD% TestFlux%,$(E2E)),delivery-controllers) ## run end-to-end tests on a Kubernetes node (root, Debian; test/cluster/node/README.md)
	test/cluster/e2e/run $(E2E)

.PHONY: controllers engine-controllers delivery-controllers
controllers: engine-controllers delivery-controllers ## build the controllers of Argo Workflows, Tekton, Argo CD and Flux into bin/tools (25 minutes)

# The engines of clusters, of the versions in tools/engines/go.mod. The group TestEngine of make e2e runs them.
engine-controllers: $(TOOLS)/controllers/argo/argoexec
$(TOOLS)/controllers/argo/argoexec: tools/engines/controllers tools/engines/go.mod tools/engines/go.sum
	@tools/engines/controllers $(TOOLS)/controllers

# What delivers manifests, of the versions in tools/delivery/go.mod. The groups TestArgoCD and TestFlux of make e2e run it.
delivery-controllers: $(TOOLS)/delivery/argocd/argocd
$(TOOLS)/delivery/argocd/argocd: tools/delivery/controllers tools/delivery/go.mod tools/delivery/go.sum
	@tools/delivery/controllers $(TOOLS)/delivery

.PHONY: containers
containers: $(TOOLS)/kustomize ## test the images in docker (root, docker.io)
	go test -tags e2e -count 1 -p 1 -timeout $(TIMEOUT) -run 'Container|TwoClean' ./test/framework/docker ./test/release/images ./test/integration/orchestrator ./stacks/pack
	go test -tags e2e -count 1 -p 1 -timeout $(TIMEOUT) ./commands/local/localrun/container
	trap test/framework/docker/down EXIT; test/framework/docker/up && \
	go test -v -tags e2e -count 1 -p 1 -timeout $(TIMEOUT) -run '[Cc]ontainers' ./commands/local/plugintest ./commands/local/command

# The tests of plugins start the servers of this machine's Debian, which plugins/README.md lists, and of another Debian.
PLUGIN_TOOLS := $(addprefix $(TOOLS)/,kube-apiserver kube-controller-manager kubectl mc minio nats)

.PHONY: plugins
plugins: export SERVER_ROOT ?= $(BIN)/debian
plugins: export KILLS ?= 100
plugins: export SANDBOXES ?= 20
plugins: export OTHER_KUBERNETES ?= $(TOOLS)/kubernetes133
plugins: build $(PLUGIN_TOOLS) $(OTHER_CONTROL_PLANE) $(BIN)/debian/installed ## test plugins/ with real servers (root, Debian; PLUGINS=postgres,redis KILLS=100 SANDBOXES=20)
	TEST_SKIPS=none go test -tags plugins -v -count 1 -timeout 3h ./plugins

$(BIN)/debian/installed: plugins/testdata/debian
	@plugins/testdata/debian $(BIN)/debian

.PHONY: plugin-images
plugin-images: ## write the digests that the images in plugins/ have now into the documents (network; each is a new version of its plugin)
	@GOWORK=off go run -C tools/images . pin -update $(if $(MIRROR),-mirror $(MIRROR)) $(abspath $(wildcard plugins/*/plugin.yaml))

.PHONY: tutorial
tutorial: ## run the tutorial in a fresh Debian, from the installation on, and print the time (root, debootstrap)
	TEST_SKIPS=none go test -tags e2e -v -count 1 -timeout $(TIMEOUT) -run FreshDebian ./test/docs

.PHONY: race
race: ## run tests with the race detector (needs a C compiler)
	CGO_ENABLED=1 go test -race -timeout $(TIMEOUT) ./pkg/krm/... ./pkg/validate/... ./pkg/render/... ./runtime/... \
	  ./commands/local/localrun ./commands/local/localrun/process

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME
	test/integration/fuzz/run $(FUZZTIME)

.PHONY: vulnerabilities
vulnerabilities: $(TOOLS)/govulncheck ## look for known vulnerabilities in what is called, and write VEX (network)
	test/release/vulnerabilities

.PHONY: bench
bench: build $(TOOLS)/helm $(TOOLS)/cue $(TOOLS)/kustomize $(TOOLS)/benchstat ## compare with other programs and print the ratios
	test/bench/run

.PHONY: lint
lint: vet $(TOOLS)/golangci-lint $(TOOLS)/actionlint $(TOOLS)/prose ## run linters
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(TOOLS)/actionlint
	git ls-files '*.md' '*.go' ':!*/testdata/*' | xargs $(TOOLS)/prose
	$(TOOLS)/golangci-lint run --build-tags e2e ./...
	cd runtime && $(TOOLS)/golangci-lint run ./...
	cd conformance && GOWORK=off $(TOOLS)/golangci-lint run ./...
	cd tools/images && GOWORK=off $(TOOLS)/golangci-lint run ./...
	cd tools/recording && GOWORK=off $(TOOLS)/golangci-lint run ./...
	cd tools/prose && GOWORK=off $(TOOLS)/golangci-lint run ./...
	cd tools/crossplane && GOWORK=off $(TOOLS)/golangci-lint run ./...
	cd tools/engines && GOWORK=off $(TOOLS)/golangci-lint run ./...
	cd tools/health && GOWORK=off $(TOOLS)/golangci-lint run ./...
	cd tools/foreign && GOWORK=off $(TOOLS)/golangci-lint run ./...
	cd tools/cel && GOWORK=off $(TOOLS)/golangci-lint run ./...
	cd tools/rights && GOWORK=off $(TOOLS)/golangci-lint run ./...
	cd tools/sbom && GOWORK=off $(TOOLS)/golangci-lint run ./...
	cd test/integration/browser && GOWORK=off $(TOOLS)/golangci-lint run ./...

# The runtime runs in Pods, which are Linux.
.PHONY: vet
vet: ## check that all packages and tests of the root module build for Windows and macOS
	GOOS=windows go vet ./...
	GOOS=darwin go vet ./...

.PHONY: docs
docs: ## build the pages of docs/ as a site into bin/docs (needs mkdocs)
	@command -v mkdocs > /dev/null || { echo "mkdocs is not on the PATH: apt-get install mkdocs" >&2; exit 1; }
	@mkdocs build --quiet --strict

.PHONY: golden
golden: build ## update golden files; review the diff before committing
	UPDATE_GOLDEN=1 go test ./api/schemas/... # krm-function-metadata.yaml files are generated from them
	UPDATE_GOLDEN=1 go test ./functions/... ./api/... ./internal/... ./pkg/... ./kubebuilder/... ./commands/... ./stacks/... ./plugins \
	  ./test/... ./cmd/...
	GOWORK=off UPDATE_GOLDEN=1 go test -C tools/recording .

.PHONY: clean
clean: ## remove what was built
	rm -rf $(BIN)

# Each tool is pinned by the go.mod in its folder: as a tool of it, unless the folder has its code.
$(TOOLS)/%: tools/%/go.mod tools/%/go.sum
	@echo "make: compiling $* into bin/tools/, once" >&2
	@GOWORK=off go build -C tools/$* -trimpath -ldflags '-s -w' -o $@ $(if $(wildcard tools/$*/main.go),.,tool)

$(TOOLS)/crossplane: $(wildcard tools/crossplane/*.go)
$(TOOLS)/engines: $(wildcard tools/engines/*.go)
$(TOOLS)/health: $(wildcard tools/health/*.go)
$(TOOLS)/rights: $(wildcard tools/rights/*.go)
$(TOOLS)/sbom: $(wildcard tools/sbom/*.go)

$(TOOLS)/prose: $(wildcard tools/prose/*.go) $(wildcard tools/prose/*.txt)

# Built as the components of a node are, whose packages it shares.
$(TOOLS)/cel: tools/cel/go.mod tools/cel/go.sum tools/cel/main.go
	@GOWORK=off go build -C tools/cel -ldflags '-s -w' -o $@ .

$(NODE_PARTS): tools/kubernetes/go.mod tools/kubernetes/go.sum
	@GOWORK=off go build -C tools/kubernetes -ldflags '-s -w $(NODE_FLAGS)' -o $@ k8s.io/kubernetes/cmd/$(@F)

$(OTHER_CONTROL_PLANE): NODE_VERSION = $(shell awk '$$1 == "require" && $$2 == "k8s.io/kubernetes" {print $$3}' tools/kubernetes133/go.mod)
$(OTHER_CONTROL_PLANE): tools/kubernetes133/go.mod tools/kubernetes133/go.sum
	@GOWORK=off go build -C tools/kubernetes133 -ldflags '-s -w $(NODE_FLAGS)' -o $@ k8s.io/kubernetes/cmd/$(@F)

.PHONY: node
node: $(NODE_PARTS) ## build the components of a Kubernetes node into bin/tools (14 minutes)

# Tools are kept, though some are named by no other target.
.SECONDARY:

# For relative paths: make bin/tools/kubectl.
bin/tools/%: $(TOOLS)/% ;
