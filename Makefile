# pushscope: `make demo` shows it, `make test` proves it. Everything else is for those who change it.

SWIFT ?= swift
ORACLES := .build/oracles
PREFIX ?= /usr/local
RELEASE = $(SWIFT) build -c release --static-swift-stdlib --disable-local-rpath -debug-info-format none --product pushscope
# A quarter of a release build's time is spent on reading and checking, the rest on optimizing.
QUICK = -Xswiftc -Onone --scratch-path .build/demo
export PUSHSCOPE_PYTHON ?= $(CURDIR)/$(ORACLES)/bin/python3

.PHONY: help demo build release test test-long fleet-test soak bench lint sanitize outdated format pictures install uninstall deb dist package-test image image-test clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## (.*)/  make \1	\2/' | expand -t 18

demo: ## watch real notifications travel: loopback service, collector, dashboard (built without optimization, in .build/demo)
	@scripts/bootstrap build
	$(RELEASE) $(QUICK)
	@scripts/demo

build: ## a debug build
	@scripts/bootstrap build
	$(SWIFT) build

release: ## an optimized build in .build/release, which runs where no Swift is installed
	@scripts/bootstrap build
	$(RELEASE)

test: lint ## the whole suite, end to end included; lint first
	@SWIFT='$(SWIFT)' scripts/test

test-long: ## what takes too long for each change: every cause and seed, power failures, an hour of faults, forwarding by force, a soak
	@scripts/bootstrap build
	$(RELEASE)
	@PUSHSCOPE_BENCHMARKS=1 PUSHSCOPE_LONG_TESTS=1 SWIFT='$(SWIFT)' scripts/test long

fleet-test: ## a hundred rounds of forwarding by force, on an old and on the newest engine
	@scripts/bootstrap build test fleet
	$(SWIFT) build --build-tests
	@SWIFT='$(SWIFT)' scripts/fleet-test

HOURS ?= 1
SEED ?= 1
soak: release ## a collector left alone for HOURS (1) with a fault each minute, drawn by SEED (1); report in .build/soak
	@scripts/bootstrap test soak
	@scripts/soak --minutes "$$(awk 'BEGIN { print int($(HOURS) * 60) }')" --seed $(SEED)

sanitize: ## the HTTP/2 session and the lanes under the address sanitizer
	@scripts/bootstrap build test
	@SWIFT='$(SWIFT)' scripts/sanitize

bench: ## figures, side by side with a peer in the same run; RTT=FOLDER has recorded round trips
	@scripts/bootstrap build test fleet
	@RTT='$(RTT)' Benchmarks/run

lint: ## formatting, spelling, floors, ownership
	@scripts/bootstrap lint
	@scripts/lint

outdated: ## packages that have a newer release
	@scripts/dependencies

format: ## rewrite sources in the house's format
	@scripts/format

pictures: release ## the README's pictures, written by the dashboard itself
	@scripts/bootstrap build test
	@scripts/pictures

install: release ## binary, man pages, completions, unit and examples below PREFIX (/usr/local)
	@SWIFT='$(SWIFT)' PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install install

uninstall: ## remove what `make install` installed
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install uninstall

deb: release ## a Debian package in .build/dist
	@SWIFT='$(SWIFT)' scripts/package deb

dist: release ## a release archive with checksums and a list of dependencies, in .build/dist
	@SWIFT='$(SWIFT)' scripts/package dist

package-test: deb ## install, upgrade, run, remove and purge the Debian package on a system without Swift
	@scripts/bootstrap package
	@scripts/package-test

image: release ## a container image (OCI archive) in .build/dist, without root or a container engine
	@scripts/image

image-test: image ## run that image with a read-only root, a user without a name and 64 MB of memory
	@scripts/bootstrap image
	@scripts/image-test

clean: ## remove what was built
	$(SWIFT) package clean
	rm -rf .build/demo
