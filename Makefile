# Each target does all its own set-up in .venv; it needs Python 3.10-3.13 and Java 17 or newer.
#   make demo DEMO_ARGS="--seconds 30 --plain"
#   make test TOX_ARGS="-e py -- -k broker"
#   make test TOX_ARGS="-e long,kills"    what takes longer: see CONTRIBUTING.md
#   make check       before each push: no Java, some three minutes
#   make docs        the documentation site: build/site
#   make pythons     all tests with the other versions of Python; one that is not here is skipped
#   make release VERSION=0.2.0    prepares a version: docs/releasing.md

.PHONY: demo test check docs pythons release setup clean

demo: setup
	@.venv/bin/python -m examples.word_count_demo $(DEMO_ARGS)

test: setup
	@UV_FIND_LINKS=$$(sh tools/wheels.sh) .venv/bin/tox run $(TOX_ARGS)

check: setup
	@sh tools/check.sh

docs: setup
	@.venv/bin/python -m tools.docs $(DOCS_ARGS)

pythons: setup
	@sh tools/pythons.sh $(TOX_ARGS)

release: setup
	@.venv/bin/python tools/release.py $(VERSION)

setup:
	@sh tools/setup.sh

clean:
	rm -rf .venv .tox build dist
