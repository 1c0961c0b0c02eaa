"""The references, which are generated from the code at each build."""

from __future__ import annotations

from pathlib import Path

from tools.docs import api, configuration, errors

ON_THE_FRONT_PAGE = f"""
## References

Made from the code of this version:

| page | what it has |
|---|---|
| [API]({api.FOLDER}index.md) | every public class and method, and its counterpart in Kafka |
| [Configuration keys]({configuration.PAGE}) | type, default, bounds, what Spark does with it |
| [Errors]({errors.PAGE}) | every error class: when, messages, what to do |
"""
"""What the site's front page has more than docs/README.md: links to generated pages."""


def generated(root: Path) -> dict[str, str]:
    """Return the generated pages: path in the site to text."""
    return {
        configuration.PAGE: configuration.page(root),
        errors.PAGE: errors.page(root),
        **api.pages(root),
    }
