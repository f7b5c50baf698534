"""Converts typed statements to the body of a Python function: of a template, which returns a text, or of a row."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.tree import Body, Expr, Statement
from dsgen.compiler.python.expressions import TEXT, PythonExpressions
from dsgen.language import functions, text

WIDTH = 120
STEP = "    "
Written = tree.ConstantText | tree.Print | tree.Block
"""The statements that write text."""


@dataclass
class OutputLine:
    """One line of the output: constant texts and expressions."""

    parts: list[tuple[bool, str]] = field(default_factory=list)  # is it an expression, and its text

    @property
    def source(self) -> str:
        """The line as a Python expression: an f-string, or several, joined with expressions that cannot be in one."""
        pieces: list[str] = []
        for is_expression, content in self.parts:
            if is_expression and set('"\\{}#\n') & set(content):  # what an f-string cannot contain
                pieces.append(content)
                continue
            part = f"{{{content}}}" if is_expression else _escape(content)
            if not pieces or not pieces[-1].endswith("\0"):
                pieces.append("\0")
            pieces[-1] = pieces[-1].removesuffix("\0") + part + "\0"
        return " + ".join(
            _write_literal(piece.removesuffix("\0")) if piece.endswith("\0") else piece for piece in pieces
        )


def _escape(content: str) -> str:
    return json.dumps(content, ensure_ascii=False)[1:-1].replace("{", "{{").replace("}", "}}")


def _write_literal(content: str) -> str:
    is_constant = "{" not in content.replace("{{", "") and "}" not in content.replace("}}", "")
    return '"' + content.replace("{{", "{").replace("}}", "}") + '"' if is_constant else f'f"{content}"'


class Functions:
    """Writes bodies as the lines of functions. The text of a helper does not end with a newline."""

    def __init__(self, expressions: PythonExpressions, is_helper: bool = False) -> None:
        self._expressions, self._is_helper = expressions, is_helper

    def write_body(self, body: Body, pad: str) -> Iterator[str]:
        """The body of a function that returns the text, without the variable if one expression is enough."""
        body = _remove_comment_lines(body)
        number = next(
            (number for number, one in enumerate(body) if not isinstance(one, tree.Assignment | tree.Comment)), 0
        )
        rest = body[number:]
        if len(rest) == 1 and isinstance(rest[0], tree.If):
            yield from self._write_statements(body[:number], pad)
            yield from self._write_returns(rest[0], pad)
            return
        shorter, end = _remove_final_newline(body) if self._is_helper else (body, "")
        if rest and all(isinstance(one, Written) for one in rest):
            yield from self._write_statements(body[:number], pad)
            yield from self._write_text(f"{pad}return", shorter[number:], end)
            return
        begins = isinstance(body[0] if body else None, Written)
        yield from () if begins else (f'{pad}{TEXT} = ""',)
        yield from self._write_statements(shorter, pad, is_begun=not begins)
        yield f"{pad}return {TEXT}{end}"

    def _write_returns(self, statement: tree.If, pad: str) -> Iterator[str]:
        for test, body in statement.branches:
            if test is None:
                yield from self.write_body(body, pad)
                return
            yield from self._write_test("if", test, pad)
            yield from self.write_body(body, pad + STEP)
        yield f'{pad}return ""'

    def _write_statements(self, body: Sequence[Statement], pad: str, is_begun: bool = True) -> Iterator[str]:
        written: list[Written] = []
        for statement in (*body, None):
            if isinstance(statement, Written):
                written.append(statement)
                continue
            if written:
                yield from self._write_text(f"{pad}{TEXT} {'+=' if is_begun else '='}", written)
                written, is_begun = [], True
            if statement is not None:
                yield from self._write_statement(statement, pad)

    def _write_statement(self, statement: Statement, pad: str) -> Iterator[str]:
        spelled = self._expressions.write
        match statement:
            case tree.Comment():
                yield from (f"{pad}# {line}" for line in statement.text.split("\n"))
            case tree.Refuse():
                module, name = functions.__name__, functions.refuse.__name__
                arguments = (spelled(statement.id).text, spelled(statement.message).text)
                yield pad + self._expressions.write_call(module, name, *arguments).text
            case tree.Assignment():
                yield f"{pad}{self._expressions.name_local(statement.name)} = {spelled(statement.expr).text}"
            case tree.If():
                yield from self._write_if(statement, pad)
            case tree.For():
                yield self._write_for(statement, pad)
                yield from self._write_inside(statement.body, pad)
            case _:
                raise TypeError(f"{type(statement).__name__} has no Python form")

    def _write_for(self, statement: tree.For, pad: str) -> str:
        """The head of a loop."""
        names = ", ".join(map(self._expressions.name_local, statement.names))
        over = self._expressions.write(statement.iterable).text
        if len(statement.names) == 2:
            over = self._expressions.write_call(functions.__name__, functions.items.__name__, over).text
        return f"{pad}for {names} in {over}:"

    def _write_if(self, statement: tree.If, pad: str) -> Iterator[str]:
        for number, (test, body) in enumerate(statement.branches):
            if test is None:
                yield f"{pad}else:"
            else:
                yield from self._write_test("elif" if number else "if", test, pad)
            yield from self._write_inside(body, pad)

    def _write_inside(self, body: Body, pad: str) -> Iterator[str]:
        lines = list(self._write_statements(_remove_comment_lines(body), pad + STEP))
        yield from lines
        if not any(not line.lstrip().startswith("#") for line in lines):
            yield f"{pad}{STEP}pass"

    def _write_test(self, word: str, test: Expr, pad: str) -> Iterator[str]:
        """The head of a branch. If it is too long for a line, each part of `and` or `or` has its own line."""
        line = f"{pad}{word} {self._expressions.write(test).text}:"
        if len(line) <= WIDTH or not isinstance(test, tree.Logic):
            yield line
            return
        whole = self._expressions.write(test)
        yield f"{pad}{word} ("
        for number, part in enumerate(test.parts):
            condition = self._expressions.write(part).enclose(whole.level + 1)
            yield f"{pad}{STEP}{f'{test.word} ' if number else ''}{condition}"
        yield f"{pad}):"

    def _write_text(self, head: str, statements: Sequence[Statement], end: str = "") -> Iterator[str]:
        """The code of a text, with one line of code per line of text."""
        lines = [line.source for line in self._make_lines(statements)]
        if len(lines) == 1 and len(head) + len(lines[0]) < WIDTH and not end:
            yield f"{head} {lines[0]}"
            return
        pad = head[: len(head) - len(head.lstrip())]
        yield f"{head} ("
        before = ""
        for line in lines or ['""']:
            is_text = line.startswith(('"', 'f"'))
            sign = "" if not before or (is_text and before.endswith('"')) else "+ "
            yield f"{pad}{STEP}{sign}{line}"
            before = line
        yield f"{pad}){end}"

    def _make_lines(self, statements: Sequence[Statement]) -> list[OutputLine]:
        lines = [OutputLine()]
        for statement in statements:
            is_text = isinstance(statement, tree.ConstantText)
            parts = (
                statement.text.split("\n")
                if isinstance(statement, tree.ConstantText)
                else [self._write_expression(statement)]
            )
            for number, part in enumerate(parts):
                if number < len(parts) - 1:
                    lines[-1].parts.append((False, part + "\n"))
                    lines.append(OutputLine())
                elif part:
                    lines[-1].parts.append((not is_text, part))
        return [line for line in lines if line.parts]

    def _write_expression(self, statement: Statement) -> str:
        assert isinstance(statement, tree.Print | tree.Block)
        if isinstance(statement, tree.Print) or statement.width is None:
            return self._expressions.write_printed(statement.expr)
        inside = self._expressions.write(statement.expr).text
        return self._expressions.write_call(text.__name__, text.indent.__name__, inside, str(statement.width)).text


def _remove_final_newline(body: Body) -> tuple[Body, str]:
    """The statements without the final newline of a helper's text, or the code that removes it."""
    last = body[-1] if body else None
    if isinstance(last, tree.ConstantText) and last.text.endswith("\n"):
        return (*body[:-1], tree.ConstantText(last.text[:-1])), ""
    return body, '.removesuffix("\\n")'


def _remove_comment_lines(body: Body) -> Body:
    """The statements without the lines of comments, which are not part of a template's text."""
    kept: list[Statement] = []
    for statement in body:
        before = kept[-1] if kept else None
        if isinstance(statement, tree.Comment) and isinstance(before, tree.ConstantText):
            kept[-1] = tree.ConstantText(before.text.rstrip(" "))
        if isinstance(statement, tree.ConstantText) and isinstance(before, tree.Comment):
            statement = tree.ConstantText(statement.text.removeprefix("\n"))
        kept.append(statement)
    return tuple(one for one in kept if one != tree.ConstantText(""))
