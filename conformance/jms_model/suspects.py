"""Who is wrong where a field is not as it has to be: what was read, and what touched it since."""

from __future__ import annotations

from jms_model.answers import Expectation, Field, Keeps


class Suspects:
    """What has been seen of the fields of one object."""

    def __init__(self, *known: Field) -> None:
        self._known = frozenset(known)
        """Those that are always known to be as they have to be."""
        self._seen: set[Field] = {*known}
        """The fields that were read as they should be, and have not been changed since."""
        self._kept: dict[Field, Keeps] = {}
        """Of those, the calls that had to leave them so since they were read."""
        self._doubtful: set[str] = set()
        """Scopes that had to stay as they are: who is wrong about what nobody read before?"""
        self._written: set[Field] = set()
        """The fields that were changed since."""

    def judge(self, expectation: Expectation) -> None:
        """Let an expectation name the statements that its call alone can break.

        What was read as it should be, and has had to stay so since, is a matter of the statements
        that say so. Where it was not read before, nobody can know who is wrong: none is named.
        """
        for field in (*expectation.reads, *expectation.relies):
            if field in self._kept:
                if expectation.betrays is not None and expectation.instead is None:
                    expectation.instead = expectation.ids
                expectation.ids, expectation.accuse = self._kept[field].ids, None
            elif self.is_doubtful(field):
                expectation.ids, expectation.accuse, expectation.instead = [], None, None

    def is_doubtful(self, field: Field) -> bool:
        """Whether nobody read it before a call that had to keep it, nor wrote it since."""
        unknown = field[0] in self._doubtful and field not in self._seen
        return unknown and not any(field[: len(each)] == each for each in self._written)

    def is_suspected(self, field: Field) -> bool:
        """Whether a call that had to leave it as it is may not have done so."""
        kept = self._kept.get(field)
        return self.is_doubtful(field) or (kept is not None and kept.leaves_doubt)

    def follow(self, expectation: Expectation) -> None:
        """A call has ended as it was permitted to."""
        for field in (*expectation.reads, *expectation.relies):
            self._seen.add(field)
            self._kept.pop(field, None)
        for change in expectation.changes:
            self.forget(change)
        for kept in expectation.keeps:
            if kept.leaves_doubt:
                self._doubtful.add(kept.scope)
                self._written = {field for field in self._written if field[0] != kept.scope}
            for field in self._seen:
                if field[0] == kept.scope:
                    self._kept[field] = self._suspected(field, kept)

    def _suspected(self, field: Field, kept: Keeps) -> Keeps:
        """By which call a field is not as it was, if it is found to be wrong now.

        Where two had to leave it, and nobody looked between them, that is unknown; one that leaves
        no doubt is the less likely.
        """
        before = self._kept.get(field)
        if before is None or not before.leaves_doubt:
            return kept
        known = not kept.leaves_doubt or before.ids == kept.ids
        return before if known else Keeps(kept.scope)

    def forget(self, change: Field | str) -> None:
        """A field, all that begin so, or a whole scope is changed."""
        prefix = (change,) if isinstance(change, str) else change
        gone = {field for field in self._seen if field[: len(prefix)] == prefix}
        self._seen -= gone - self._known
        for field in gone:
            self._kept.pop(field, None)
        if isinstance(change, str):
            self._doubtful.discard(change)
        else:
            self._written.add(change)
