"""A search over the site's own index, as a stand-in for the one that runs in a browser.

It ranks by the usual measure (BM25, titles count more); both read ``search.json``.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

TITLE, HEADING = 6, 3
"""How much a word counts that stands in the title of the page, and of the section."""
K, B = 1.2, 0.75
COMMON = frozenset(
    """
    a an the and or of to in on at by for from with my me i is are be do does how what which why
    where when it its that this can you your so not no if will
    """.split()  # noqa: SIM905 - a list of one word a line says no more
)


def words(text: str) -> list[str]:
    """Return the words of a text in one form: without markup, endings and common words."""
    plain = re.sub(r"<[^>]+>|&\w+;", " ", text).lower()
    return [stem(word) for word in re.findall(r"[a-z0-9]+", plain) if word not in COMMON]


def stem(word: str) -> str:
    """Return a word without its usual endings."""
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word.rstrip("e") if len(word) > 3 else word


class Index:
    """The sections of a site, ready to be searched."""

    def __init__(self, items: Iterable[Mapping[str, Any]]) -> None:
        self._sections: list[tuple[str, Counter[str]]] = []
        titles: dict[str, list[str]] = {}
        for item in items:
            page = item["location"].partition("#")[0]
            if item["level"] == 1:
                titles[page] = words(item["title"])
            said = Counter(words(item["text"]))
            for word in words(item["title"]):
                said[word] += HEADING
            for word in titles.get(page, ()):
                said[word] += TITLE
            self._sections.append((item["location"], said))
        self._mean = sum(c.total() for _, c in self._sections) / max(len(self._sections), 1)
        self._having = Counter(word for _, said in self._sections for word in said)

    def pages(self, query: str, most: int) -> list[str]:
        """Return the pages with the best sections for a query, the best first."""
        wanted = words(query)
        scores: dict[str, float] = {}
        for location, said in self._sections:
            page = location.partition("#")[0]
            scores[page] = max(scores.get(page, 0.0), self._score(said, wanted))
        ranked = sorted(scores, key=lambda page: (-scores[page], page))
        return [page for page in ranked if scores[page]][:most]

    def _score(self, said: Counter[str], wanted: list[str]) -> float:
        length = K * (1 - B + B * said.total() / self._mean)
        total = len(self._sections)
        return sum(
            math.log(1 + (total - self._having[word] + 0.5) / (self._having[word] + 0.5))
            * (said[word] * (K + 1) / (said[word] + length))
            for word in wanted
            if said[word]
        )
