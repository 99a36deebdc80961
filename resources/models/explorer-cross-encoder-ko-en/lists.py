"""What the student learns from: a query with eight passages, and pairs with a score.

The first passage of a list is the right one, where one is known to be; the others are near it by their words. Of
translated lists both languages are kept, so that the teacher reads English where the student reads Korean.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import bills
import collections_of_texts as collected
import numpy as np
import parallel
import sources
from collections_of_texts import Collection, Scored

LIST = 8  # passages of a list
CRANFIELD_TRAIN, VASWANI_TRAIN, CACM_TRAIN = 72, 60, 40  # first queries that are learned from; see measures
BILLS_READ = 14_000
_K1, _B = 1.2, 0.75  # the usual constants of BM25
_SPACE = re.compile(r"\s+")
_SENTENCE = re.compile(r"(?<=[임음함다])\.\s*")
_HANGUL = re.compile("[가-힣]")
_MOST = 900  # letters of an abstract


@dataclass(frozen=True)
class Candidates:
    """A query and passages.

    Attributes:
        query: The query.
        passages: LIST of them.
        right: Whether the first is known to answer it.
        translated: The same in Korean, where the rest is English: the query, then the passages.
    """

    query: str
    passages: tuple[str, ...]
    right: bool = True
    translated: tuple[str, ...] = ()


@dataclass
class Lessons:
    """All that is learned from.

    Attributes:
        lists: Lists by kind; those of KINDS are English, those of TRANSLATED in both languages, "bills" are Korean.
        scored: English pairs and their Korean translations with people's scores, 0..1.
        questions: Pairs of Korean questions, 1 where they mean the same.
    """

    lists: dict[str, list[Candidates]] = field(default_factory=dict)
    scored: list[tuple[tuple[str, str], tuple[str, str], float]] = field(default_factory=list)
    questions: list[tuple[str, str, float]] = field(default_factory=list)

    def texts(self) -> set[str]:
        """Return every text."""
        lists = [each for kind in self.lists.values() for each in kind]
        found = {text for each in lists for text in (each.query, *each.passages, *each.translated)}
        found |= {text for english, korean, _ in self.scored for text in (*english, *korean)}
        return found | {text for first, second, _ in self.questions for text in (first, second)}


def gather(data: Path, archive: Path, libreoffice: Path) -> Lessons:
    """Gather everything.

    Args:
        data: The folder of the data sets.
        archive: The bills' unpacked archive.
        libreoffice: LibreOffice's help in both languages.
    """
    chance = random.Random(7)  # noqa: S311 - the same each time
    cranfield, vaswani, cacm = collected.cranfield(data), collected.vaswani(data), collected.cacm(data)
    titles = sorted(set(collected.stackoverflow(data)))
    lessons = Lessons()
    lessons.lists = {
        "news": titled(collected.ag_news(data), 2200, chance),
        "cranfield": titled(list(cranfield.titles.values()), 700, chance),
        "vaswani": titled(list(vaswani.titles.values()), 1800, chance),
        "cacm": titled(list(cacm.titles.values()), 700, chance),
        "posts": titled(collected.posts(data), 700, chance),
        "cranfield judged": judged(cranfield, list(cranfield.queries)[:CRANFIELD_TRAIN], 4, chance),
        "vaswani judged": judged(vaswani, list(vaswani.queries)[:VASWANI_TRAIN], 6, chance),
        "cacm judged": judged(cacm, [key for key in cacm.queries if int(key) <= CACM_TRAIN], 5, chance),
        "wikiqa": answered(collected.wikiqa(data), chance, unanswered=True),
        "trecqa": answered(collected.trecqa(data), chance, unanswered=False),
        "questions": neighbours(titles, 500, chance),
        "help": pages(libreoffice, 3000, chance),
        "sentences": sentences(data, 1100, chance),
        "bills": proposed(archive, 3200, chance),
    }
    korean, english = sources.korean_similarity(data, "train"), sources.english_similarity(data, "train")
    lessons.scored = list(
        zip(
            zip(english.first, english.second, strict=True),
            zip(korean.first, korean.second, strict=True),
            english.scores,
            strict=True,
        )
    )
    asked = sources.questions(data, "train")
    lessons.questions = list(zip(asked.first, asked.second, asked.scores, strict=True))
    return lessons


def titled(items: Sequence[tuple[str, str]], count: int, chance: random.Random) -> list[Candidates]:
    """Titles with their own text, and with those of others that share their words."""
    known = [(title, body[:_MOST]) for title, body in dict.fromkeys(items) if len(title) > 8 and len(body) > 40]
    bodies = [body for _, body in known]
    picked = chance.sample(known, min(count, len(known)))
    found = []
    for (title, body), near in zip(picked, best_by_words([title for title, _ in picked], bodies, 30), strict=True):
        others = [bodies[place] for place in near if bodies[place] != body]
        found.append(Candidates(title, (body, *others[:3], *chance.sample(others[3:], 3), chance.choice(bodies))))
    return found


def judged(collection: Collection, keys: Sequence[str], positives: int, chance: random.Random) -> list[Candidates]:
    """Queries with a document that answers them, and seven that only share their words."""
    names, texts = list(collection.documents), list(collection.documents.values())
    found = []
    near = best_by_words([collection.queries[key] for key in keys], texts, 60)
    for key, best in zip(keys, near, strict=True):
        right = collection.relevant[key] & collection.documents.keys()
        wrong = [names[place] for place in best if names[place] not in right]
        far = wrong[25:] if len(wrong) > 32 else [name for name in names if name not in right]
        for name in chance.sample(sorted(right), min(positives, len(right))):
            others = chance.sample(wrong[:25], min(5, len(wrong)))
            others += chance.sample(far, LIST - 1 - len(others))
            passages = tuple(collection.documents[each][:_MOST] for each in (name, *others))
            found.append(Candidates(collection.queries[key], passages))
    return found


def answered(labelled: Sequence[Scored], chance: random.Random, *, unanswered: bool) -> list[Candidates]:
    """Questions with an answer and what does not answer them; with `unanswered` also those that have none."""
    of: dict[str, list[tuple[str, float]]] = {}
    for question, sentence, label in labelled:
        of.setdefault(question, []).append((sentence, label))
    every = sorted({sentence for _, sentence, _ in labelled})
    found = []
    for (question, own), near in zip(of.items(), best_by_words(list(of), every, 30), strict=True):
        mine = {sentence for sentence, _ in own}
        right = [sentence for sentence, label in own if label == 1]
        wrong = [sentence for sentence, label in own if label == 0]
        others = [every[place] for place in near if every[place] not in mine]
        passages = [chance.choice(right)] if right else []
        passages += chance.sample(wrong, min(4, len(wrong)))
        passages += others[: LIST - len(passages)]
        if len(passages) == LIST and (right or unanswered):
            found.append(Candidates(question, tuple(passages), right=bool(right)))
    return found


def neighbours(titles: Sequence[str], count: int, chance: random.Random) -> list[Candidates]:
    """Titles of questions with others that share their words."""
    picked = chance.sample(titles, count)
    near = best_by_words(picked, titles, 40)
    return [
        Candidates(title, tuple(chance.sample([titles[at] for at in best if titles[at] != title], LIST)), right=False)
        for title, best in zip(picked, near, strict=True)
    ]


def pages(libreoffice: Path, count: int, chance: random.Random) -> list[Candidates]:
    """Headings and sentences of the help with what follows them, in both languages."""
    passages: list[tuple[str, str]] = []
    asked: list[tuple[tuple[str, str], int]] = []
    for page in parallel.pages(libreoffice):
        known = {english: korean for korean, english in reversed(page) if not _HANGUL.search(english)}
        rest = [(korean, english) for english, korean in reversed(known.items()) if _HANGUL.search(korean)]
        rest = [each for each in rest if len(each[1]) > 5]
        before = rest.pop(0) if len(rest) > 2 else ("", "")
        while rest:
            korean, english = rest.pop(0)
            while len(english) < 220 and rest:
                more = rest.pop(0)
                korean, english = f"{korean} {more[0]}", f"{english} {more[1]}"
            if len(english) > 60:
                if 8 < len(before[1]) < 200:
                    asked.append((before, len(passages)))
                passages.append((korean[:260], english[:420]))
            before = (korean, english)
    picked = chance.sample(asked, min(count, len(asked)))
    found = []
    near = best_by_words([english for (_, english), _ in picked], [english for _, english in passages], 30)
    for ((korean, english), own), best in zip(picked, near, strict=True):
        others = [place for place in best if passages[place][1] != passages[own][1]]
        places = [own, *others[:3], *chance.sample(others[3:], 3), chance.randrange(len(passages))]
        translated = (korean, *(passages[place][0] for place in places))
        found.append(Candidates(english, tuple(passages[place][1] for place in places), False, translated))
    return found


def sentences(data: Path, count: int, chance: random.Random) -> list[Candidates]:
    """Sentences of STSb with others that share their words, and their Korean translations."""
    korean, english = sources.korean_similarity(data, "train"), sources.english_similarity(data, "train")
    of = dict(zip([*english.first, *english.second], [*korean.first, *korean.second], strict=True))
    every = list(of)
    picked = chance.sample(range(len(english)), count)
    found = []
    near = best_by_words([english.first[row] for row in picked], every, 25)
    for row, best in zip(picked, near, strict=True):
        query, other = english.first[row], english.second[row]
        others = [every[place] for place in best if every[place] not in (query, other)]
        passages = (other, *others[:3], *chance.sample(others[3:], 3), chance.choice(every))
        found.append(Candidates(query, passages, False, (of[query], *(of[text] for text in passages))))
    return found


def proposed(archive: Path, count: int, chance: random.Random) -> list[Candidates]:
    """Aims, titles and sentences of Korean bills with the rest of the bill, and with other bills; none held out."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    read = [bill for bill in bills.read(archive) if not bill.held_out]
    asked = [_asked(bill, chance) for bill in chance.sample(read, BILLS_READ)]
    letters = TfidfVectorizer(analyzer="char", ngram_range=(2, 2), max_features=30_000, sublinear_tf=True)
    bodies = letters.fit_transform([body for _, body, _ in asked])
    picked = chance.sample(range(len(asked)), count)
    found = []
    for start in range(0, count, 200):
        rows = picked[start : start + 200]
        near = (letters.transform([asked[row][0] for row in rows]) @ bodies.T).toarray()
        alike = (bodies[rows] @ bodies.T).toarray()
        for row, scores, own in zip(rows, near, alike, strict=True):
            query, body, _ = asked[row]
            # A bill that says nearly the same would be right too, and so would one with the title that was asked for.
            others = [at for at in np.argsort(-scores)[:40] if at != row and own[at] < 0.55 and asked[at][2] != query]
            if len(others) >= 12:
                places = [*others[:3], *chance.sample(others[3:], 3), chance.randrange(len(asked))]
                found.append(Candidates(query, (body, *(asked[place][1] for place in places))))
    return found


def _asked(bill: bills.Bill, chance: random.Random) -> tuple[str, str, str]:
    """Return something to ask for a bill by, a part of the bill without it, and the bill's title."""
    body, aim, kind = _SPACE.sub(" ", bill.reason), _SPACE.sub(" ", bill.aim), chance.random()
    if kind < 0.5 and aim and len(body.replace(aim, " ")) > 80:
        query = re.sub(r"\(안.*?\)", "", aim).removeprefix("이에 ")[: chance.choice((40, 70, 110))]
        return query, body.replace(aim, " ")[:300], bill.title
    told = [each for each in _SENTENCE.split(body) if 15 < len(each) < 140]
    if kind < 0.7 or len(told) < 3:
        return bill.title, body[:300], bill.title
    query = chance.choice(told)
    rest = body.replace(query, " ")
    start = chance.randrange(max(1, len(rest) - 300))
    return query, rest[start : start + 300], bill.title


def best_by_words(queries: Sequence[str], texts: Sequence[str], depth: int) -> list[list[int]]:
    """For each query the places of the texts that are best by BM25, best first."""
    from sklearn.feature_extraction.text import CountVectorizer

    counter = CountVectorizer(stop_words="english")
    counts = counter.fit_transform(texts).tocsc().astype(np.float64)  # (N, words)
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    rare = np.log1p((len(texts) - np.diff(counts.indptr) + 0.5) / (np.diff(counts.indptr) + 0.5))
    counts = counts.tocoo()
    bound = _K1 * (1 - _B + _B * lengths[counts.row] / lengths.mean())
    counts.data = rare[counts.col] * counts.data * (_K1 + 1) / (counts.data + bound)
    scores = (counter.transform(queries) > 0).astype(np.float64) @ counts.T.tocsr()  # (Q, N)
    return [np.argsort(-row.toarray().ravel(), kind="stable")[:depth].tolist() for row in scores]
