"""Converts the rows of the checks to Python generators of paths and messages."""

from collections.abc import Iterator

from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.helpers import Helper
from dsgen.compiler.frontend.tree import Body, Statement
from dsgen.compiler.python.expressions import PythonExpressions
from dsgen.compiler.python.functions import STEP, WIDTH, Functions

PARAMETERS = ("values", "release", "watch")


class Rows(Functions):
    """Writes the bodies of rows. Each iteration starts with the recorded reads from before the loop."""

    def __init__(self, expressions: PythonExpressions) -> None:
        super().__init__(expressions)
        self._expressions = expressions

    def row(self, helper: Helper) -> Iterator[str]:
        """The body of a row's function."""
        (body,) = helper.bodies.values()
        return self._statements(_without_blanks(body), STEP)

    def _statement(self, statement: Statement, pad: str) -> Iterator[str]:
        match statement:
            case tree.Problem():
                path = ", ".join(self._expressions.expr(part).text for part in statement.path)
                comma = "," if len(statement.path) == 1 else ""
                parts = (f"({path}{comma})", self.message(statement.message))
                line = f"{pad}yield {', '.join(parts)}"
                fits = len(line) <= WIDTH
                yield from [line] if fits else [f"{pad}yield (", *(f"{pad}{STEP}{one}," for one in parts), f"{pad})"]
            case tree.For():
                before = f"before_{statement.names[0]}"
                yield f"{pad}{before} = watch.was_read"
                yield self._for(statement, pad)
                yield f"{pad}{STEP}watch.was_read = {before}"
                yield from self._inside(statement.body, pad)
            case _:
                yield from super()._statement(statement, pad)

    def _inside(self, body: Body, pad: str) -> Iterator[str]:
        return super()._inside(_without_blanks(body), pad)


def _without_blanks(body: Body) -> Body:
    return tuple(one for one in body if not (isinstance(one, tree.Text) and not one.text.strip()))
