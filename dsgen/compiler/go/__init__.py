"""The back end for Helm: converts the typed tree to Go templates.

Each tag is on the same line and at the same indentation as in the source.
"""

import re
import textwrap
from functools import singledispatchmethod

from dsgen.compiler.frontend import CompileError, tree
from dsgen.compiler.frontend.expressions import ROOTS
from dsgen.compiler.frontend.helpers import Helper, Helpers
from dsgen.compiler.frontend.tree import Body, Expr, Statement
from dsgen.compiler.frontend.types import TEXTS
from dsgen.compiler.go.pipelines import CHART_NAME, Pipelines, name_define, to_camel_case
from dsgen.compiler.programs import Program

WIDTH, TEXT_WIDTH = 100, 120
"""Of lines of code and of comments, which are folded where they are longer."""
_ITEMS = re.compile(r"(?:[(]|= )(list|dict) (?=\")")
"""The start of a list or map whose items or keys are texts."""
_CALLS = re.compile(r" *\{\{-? (?:\$\w+ :?= )?(list)(?= \() ")
"""The start of a tag whose arguments are conditions or calls."""
_WORD = re.compile(r'(?:"(?:[^"\\]|\\.)*"|`[^`]*`|[^\s"`])+')
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"|`[^`]*`')
LONGEST = 130
COMMENT_WIDTH = TEXT_WIDTH - len("{{/*  */}}")


class Layout:
    """Writes statements. In a helper of one line (`is_inline`), every tag trims both sides."""

    def __init__(
        self, helpers: Helpers, is_inline: bool = False, is_alone: bool = False, is_template: bool = False
    ) -> None:
        self._pipelines = Pipelines(helpers, is_alone, is_template)
        self._is_inline = is_inline
        self._own: set[str] = set()  # names of maps that are parts of no other, so that they may be changed

    def write(self, statements: Body) -> str:
        text = ""
        for statement in statements:
            written = self._write_statement(statement)
            if isinstance(statement, tree.Print | tree.Block):
                written = _fold(written, text.rpartition("\n")[2], is_tag=False)
            text += written
        return text

    def _write_tag(self, pad: str, text: str) -> str:
        return _fold(f"{pad}{{{{- {text} {'-' if self._is_inline else ''}}}}}") + "\n"

    def _spell(self, expr: Expr) -> str:
        return self._pipelines.write_value(expr).text

    @singledispatchmethod
    def _write_statement(self, statement: Statement) -> str:
        raise TypeError(f"{type(statement).__name__} has no text")

    @_write_statement.register
    def _(self, statement: tree.ConstantText) -> str:
        return statement.text.replace("{{", '{{ "{{" }}')

    @_write_statement.register
    def _(self, statement: tree.Comment) -> str:
        return "{{- " + write_comment(statement.text) + "}}"

    @_write_statement.register
    def _(self, statement: tree.Print) -> str:
        if isinstance(statement.expr, tree.Include) and self._pipelines.is_loose(statement.expr):
            return f"{{{{- {self._pipelines.write_include(statement.expr)} }}}}"  # it ends with a newline
        if isinstance(statement.expr, tree.Const) and isinstance(statement.expr.value, str):
            return statement.expr.value
        return f"{{{{ {self._spell(statement.expr)} }}}}"

    @_write_statement.register
    def _(self, statement: tree.Block) -> str:
        text = self._spell(statement.expr)
        if statement.width is None:
            return f"{{{{ {text} }}}}"
        if isinstance(statement.expr, tree.FileText):  # has empty lines, which nindent fills with spaces
            return f'{{{{- regexReplaceAll "(?m)^ +$" ({text} | nindent {statement.width}) "" }}}}'
        return f"{{{{- {text} | nindent {statement.width} }}}}"

    @_write_statement.register
    def _(self, statement: tree.Refuse) -> str:
        helper, data = to_camel_case(statement.message.helper), self._pipelines.write_data(statement.message)
        arguments = f'{self._spell(statement.id)} "{helper}" {data}'
        return self._write_tag(statement.pad, f'include "{CHART_NAME}.refuse" (list {arguments})')

    @_write_statement.register
    def _(self, statement: tree.Assignment) -> str:
        name, sign = f"${to_camel_case(statement.name)}", ":=" if statement.is_new else "="
        text = self._spell(statement.expr)
        if not statement.is_new and statement.name in self._own:
            text = text.replace(f"mergeOverwrite (deepCopy {name})", f"mergeOverwrite {name}", 1)
        if statement.is_new and _is_new_map(statement.expr):
            self._own.add(statement.name)
        elif not _is_new_map(statement.expr):
            self._own.discard(statement.name)
        return self._write_tag(statement.pad, f"{name} {sign} {text}")

    @_write_statement.register
    def _(self, statement: tree.If) -> str:
        text = ""
        for number, (test, body) in enumerate(statement.branches):
            words = "else" if number else ""
            if test is not None:
                words = self._write_condition(f"{words} if".lstrip(), test, statement.pad)
            text += self._write_tag(statement.pad, words) + self.write(body)
        return text + self._write_tag(statement.pad, "end")

    def _write_condition(self, words: str, test: Expr, pad: str) -> str:
        """The tag of a branch. If it is too long for a line, each part of `and` or `or` has its own line."""
        text = f"{words} {self._spell(test)}"
        if not isinstance(test, tree.Logic) or len(self._write_tag(pad, text).rstrip()) <= WIDTH:
            return text
        return f"{words} {self._write_logic(test, len(f'{pad}{{{{- {words} '))}"

    def _write_logic(self, logic: tree.Logic, column: int) -> str:
        """`and` or `or` that begins at a column, with each part on its own line, recursively."""
        start = column + len(f"{logic.word} ")
        parts = []
        for part in logic.parts:
            text = self._pipelines.write_value(part).argument
            if isinstance(part, tree.Logic) and start + len(text) > WIDTH:
                text = f"({self._write_logic(part, start + 1)})"
            parts.append(text)
        return f"{logic.word} " + f"\n{' ' * start}".join(parts)

    @_write_statement.register
    def _(self, statement: tree.For) -> str:
        names = ", ".join("$" + to_camel_case(name) for name in statement.names)
        head = self._write_tag(statement.pad, f"range {names} := {self._pipelines.write(statement.iterable).text}")
        self._pipelines.depth += 1
        body = self.write(statement.body)
        self._pipelines.depth -= 1
        return head + body + self._write_tag(statement.pad, "end")


def _is_new_map(expr: Expr) -> bool:
    """Whether a map is part of no other, and no map of the values is a part of it."""
    if isinstance(expr, tree.DictOf):
        return all(value.type.kind in (*TEXTS, "bool", "int") or _is_new_map(value) for _, value in expr.pairs)
    if not isinstance(expr, tree.Call) or expr.row.name != "overlay":
        return False
    return all(_is_new_map(part) for part in expr.arguments if isinstance(part, tree.DictOf))  # others are copied


def _fold(text: str, before: str = "", is_tag: bool = True) -> str:
    """A tag or output that stands after `before`. Lists, maps and calls that do not fit on a line are folded."""
    lines = text.split("\n")
    return "\n".join(_fold_line(line, "" if number else before, is_tag) for number, line in enumerate(lines))


def _fold_line(line: str, before: str, is_tag: bool) -> str:
    """The items on lines below the tag. Words of a list share lines."""
    whole = before + line
    if len(whole) <= WIDTH:
        return line
    margin = "\n" + " " * (len(whole) - len(whole.lstrip()) + 4)
    start = _CALLS.match(line) or _ITEMS.search(line)
    if not start or len(line[start.end() :]) < WIDTH // 4:
        place = line.rfind(" (", 0, WIDTH) if is_tag and len(line) > LONGEST else len(line)
        return line[:place] + line[place:].replace(" ", margin, 1)
    text = line[: start.end()].rstrip()
    has_words = start[1] == "list" and start.re is _ITEMS
    for number, item in enumerate(_split_items(line[start.end() :], 2 if start[1] == "dict" else 1)):
        is_full = not has_words or len(text.rpartition("\n")[2]) + 1 + len(item) > WIDTH
        text += (margin if not number or (is_full and item not in ("}}", "-}}")) else " ") + item
    return text


def _split_items(text: str, size: int) -> list[str]:
    """The items of a list, or the entries of a map (`size` 2). The rest of the tag is part of the last one."""
    items: list[str] = []
    depth = count = 0
    for word in _WORD.findall(text):
        if depth == 0 and word == "|":
            depth = -len(text)  # after the end of what is no argument
        if depth == 0 and count % size == 0:
            items.append(word)
        else:
            items[-1] += f" {word}"
        count += depth == 0
        plain = _QUOTED.sub("", word)
        depth += plain.count("(") - plain.count(")")
        if depth < 0:
            depth = -len(text)  # after the end of the list or map
    return items


def write_comment(text: str) -> str:
    """A Go template comment; a long one is wrapped."""
    if "*/" in text:
        raise CompileError(f"a comment cannot contain */, which ends it in Go: {text}")
    lines = text.split("\n") if "\n" in text else _balance(text)
    return f"/* {text} */" if len(lines) == 1 else "\n".join(["/*", *lines, "*/"])


def _balance(text: str) -> list[str]:
    """As few lines as possible, of about the same length."""
    count = len(textwrap.wrap(text, COMMENT_WIDTH))
    candidates = (textwrap.wrap(text, width) for width in range(len(text) // count, COMMENT_WIDTH + 1))
    return next(lines for lines in candidates if len(lines) == count)


def make_go_templates(program: Program) -> dict[str, str]:
    """The Go templates of a program, by path; helpers have the suffix `.tpl`."""
    compiled = {path: _write_template(body, program.helpers) for path, body in program.templates.items()}
    for path, head in program.heads.items():
        called = ((name, helper) for name, helper in program.helpers if helper.unit.name == path and helper.bodies)
        defines = [_write_helper(name, helper, program.helpers) for name, helper in called]
        first = "{{" + write_comment(head) + "}}\n" if head else ""
        compiled[path.removesuffix(".j2") + ".tpl"] = "\n".join(part for part in (first, *defines) if part)
    return compiled


def _write_template(body: Body, helpers: Helpers) -> str:
    """A whole template. The comment at its head trims the newline after it, so the output begins with YAML."""
    first, rest = (body[0], body[1:]) if body and isinstance(body[0], tree.Comment) else (None, body)
    head = "" if first is None else "{{- " + write_comment(first.text) + " -}}"
    return head + Layout(helpers, is_template=True).write(rest)


def _write_helper(name: str, helper: Helper, helpers: Helpers) -> str:
    is_alone = len(helper.parameters) == 1 and helper.parameters[0] not in ROOTS
    texts = {
        Layout(helpers, helper.is_inline, is_alone).write(body): signature for signature, body in helper.bodies.items()
    }
    if len(texts) > 1:
        types = "; ".join(", ".join(f"{n}: {t.kind}" for n, t in signature) for signature in texts.values())
        raise helper.unit.make_error(
            helper.node.lineno, f"{name} has different outputs for arguments of different types ({types})"
        )
    text = next(iter(texts)).rstrip()
    comment = f"{{{{{write_comment(helper.comment)}}}}}\n"
    return f'{comment}{{{{- define "{name_define(name)}" -}}}}\n{text}\n{{{{- end }}}}\n'
