"""The text of a compiled template: each tag is on the same line and at the same indentation as in the source."""

import re
import textwrap
from functools import singledispatchmethod

from dsgen.compiler.frontend import tree
from dsgen.compiler.frontend.expressions import ROOTS
from dsgen.compiler.frontend.helpers import Helper, Helpers
from dsgen.compiler.frontend.program import Program
from dsgen.compiler.frontend.source import CompileError
from dsgen.compiler.frontend.tree import Body, Expr, Statement
from dsgen.compiler.go.pipelines import Pipelines, camel, define_name

WIDTH = 120
_ITEMS = re.compile(r"[(](list|dict) (?=\")")
"""The start of a list or map whose items or keys are texts."""
_WORD = re.compile(r'(?:"(?:[^"\\]|\\.)*"|`[^`]*`|[^\s"`])+')
COMMENT_WIDTH = WIDTH - len("{{/*  */}}")


class Layout:
    """Writes statements. In a helper of one line (`is_inline`), every tag trims both sides."""

    def __init__(self, helpers: Helpers, is_inline: bool = False, is_alone: bool = False) -> None:
        self._pipelines = Pipelines(helpers, is_alone)
        self._is_inline = is_inline

    def body(self, statements: Body) -> str:
        """The text of statements."""
        text = ""
        for statement in statements:
            written = self._text(statement)
            if isinstance(statement, tree.Print | tree.Block):
                written = _folded(written, len(text.rpartition("\n")[2]))
            text += written
        return text

    def _tag(self, pad: str, text: str) -> str:
        return _folded(f"{pad}{{{{- {text} {'-' if self._is_inline else ''}}}}}") + "\n"

    def _spell(self, expr: Expr) -> str:
        return self._pipelines.value(expr).text

    @singledispatchmethod
    def _text(self, statement: Statement) -> str:
        raise TypeError(f"{type(statement).__name__} has no text")

    @_text.register
    def _(self, statement: tree.Text) -> str:
        return statement.text.replace("{{", '{{ "{{" }}')

    @_text.register
    def _(self, statement: tree.Comment) -> str:
        return "{{- " + comment(statement.text) + "}}"

    @_text.register
    def _(self, statement: tree.Print) -> str:
        if isinstance(statement.expr, tree.Include) and self._pipelines.is_loose(statement.expr):
            return f"{{{{- {self._pipelines.include(statement.expr)} }}}}"  # it ends with a newline
        return f"{{{{ {self._spell(statement.expr)} }}}}"

    @_text.register
    def _(self, statement: tree.Block) -> str:
        text = self._spell(statement.expr)
        return f"{{{{ {text} }}}}" if statement.width is None else f"{{{{- {text} | nindent {statement.width} }}}}"

    @_text.register
    def _(self, statement: tree.Fail) -> str:
        return f"{{{{- fail {self._pipelines.expr(statement.message).argument} }}}}"

    @_text.register
    def _(self, statement: tree.Set) -> str:
        sign = ":=" if statement.is_new else "="
        return self._tag(statement.pad, f"${camel(statement.name)} {sign} {self._spell(statement.expr)}")

    @_text.register
    def _(self, statement: tree.If) -> str:
        text = ""
        for number, (test, body) in enumerate(statement.branches):
            words = "else" if number else ""
            if test is not None:
                words = self._condition(f"{words} if".lstrip(), test, statement.pad)
            text += self._tag(statement.pad, words) + self.body(body)
        return text + self._tag(statement.pad, "end")

    def _condition(self, words: str, test: Expr, pad: str) -> str:
        """The tag of a branch. If it is too long for a line, each part of `and` or `or` has its own line."""
        text = f"{words} {self._spell(test)}"
        if not isinstance(test, tree.Logic) or len(self._tag(pad, text).rstrip()) <= WIDTH:
            return text
        return f"{words} {self._below(test, len(f'{pad}{{{{- {words} '))}"

    def _below(self, logic: tree.Logic, column: int) -> str:
        """`and` or `or` that begins at a column, with each part on its own line, recursively."""
        start = column + len(f"{logic.word} ")
        parts = []
        for part in logic.parts:
            text = self._pipelines.value(part).argument
            if isinstance(part, tree.Logic) and start + len(text) > WIDTH:
                text = f"({self._below(part, start + 1)})"
            parts.append(text)
        return f"{logic.word} " + f"\n{' ' * start}".join(parts)

    @_text.register
    def _(self, statement: tree.For) -> str:
        names = ", ".join("$" + camel(name) for name in statement.names)
        head = self._tag(statement.pad, f"range {names} := {self._pipelines.expr(statement.iterable).text}")
        self._pipelines.depth += 1
        body = self.body(statement.body)
        self._pipelines.depth -= 1
        return head + body + self._tag(statement.pad, "end")


def _folded(tag: str, column: int = 0) -> str:
    """A tag that begins at a column. Lists and maps that do not fit on a line are folded."""
    lines = tag.split("\n")
    return "\n".join(_folded_line(line, 0 if number else column) for number, line in enumerate(lines))


def _folded_line(line: str, column: int) -> str:
    start = _ITEMS.search(line)
    if column + len(line) <= WIDTH or not start:
        return line
    margin = " " * (column + start.end())
    lines, words = [" " * column + line[: start.end()]], [word[0] for word in _WORD.finditer(line, start.end())]
    for number, word in enumerate(words):
        if number and word.startswith('"') and len(lines[-1]) + len(word) >= WIDTH:
            lines.append(margin + word)
        else:
            lines[-1] += f" {word}" if number else word
    return "\n".join(lines)[column:]


def comment(text: str) -> str:
    """A Go template comment; a long one is wrapped."""
    if "*/" in text:
        raise CompileError(f"a comment cannot contain */, which ends it in Go: {text}")
    lines = text.split("\n") if "\n" in text else _balanced(text)
    return f"/* {text} */" if len(lines) == 1 else "\n".join(["/*", *lines, "*/"])


def _balanced(text: str) -> list[str]:
    """As few lines as possible, of about the same length."""
    count = len(textwrap.wrap(text, COMMENT_WIDTH))
    candidates = (textwrap.wrap(text, width) for width in range(len(text) // count, COMMENT_WIDTH + 1))
    return next(lines for lines in candidates if len(lines) == count)


def go_templates(program: Program) -> dict[str, str]:
    """The Go templates of a program, by path; helpers have the suffix `.tpl`."""
    compiled = {path: _template(body, program.helpers) for path, body in program.templates.items()}
    for path, head in program.heads.items():
        defines = [_define(name, helper, program.helpers) for name, helper in program.helpers_of(path).items()]
        first = "{{" + comment(head) + "}}\n" if head else ""
        compiled[path.removesuffix(".j2") + ".tpl"] = "\n".join(part for part in (first, *defines) if part)
    return compiled


def _template(body: Body, helpers: Helpers) -> str:
    """A whole template. The comment at its head trims the newline after it, so the output begins with YAML."""
    first, rest = (body[0], body[1:]) if body and isinstance(body[0], tree.Comment) else (None, body)
    head = "" if first is None else "{{- " + comment(first.text) + " -}}"
    return head + Layout(helpers).body(rest)


def _define(name: str, helper: Helper, helpers: Helpers) -> str:
    """The define of a helper."""
    is_alone = len(helper.parameters) == 1 and helper.parameters[0] not in ROOTS
    texts = {
        Layout(helpers, helper.is_inline, is_alone).body(body): signature for signature, body in helper.bodies.items()
    }
    if len(texts) > 1:
        types = "; ".join(", ".join(f"{n}: {t.kind}" for n, t in signature) for signature in texts.values())
        raise helper.unit.error(
            helper.node.lineno, f"{name} has different outputs for arguments of different types ({types})"
        )
    text = next(iter(texts)).rstrip()
    return f'{{{{{comment(helper.comment)}}}}}\n{{{{- define "{define_name(name)}" -}}}}\n{text}\n{{{{- end }}}}\n'
