"""The documentation site: its sources, gathered and generated, and its build.

python -m tools.docs                     # build/site/<version>/, build/site/versions.json
python -m http.server -d build/site      # to look at it
"""
