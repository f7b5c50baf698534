"""Formulas that explain themselves: a text is both what is computed and what is shown.

A formula is arithmetic on symbols, such as `weight * P / D`: numbers, names, + - * /, `min(...)` and `max(...)`.
"""

from __future__ import annotations

import ast
import functools
import operator
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

GIB = 2**30
START = "the engine starts"
BACKWARD = "the backward pass begins"
LAYERS = "the backward pass of the layers"
REDUCED = "all gradients exist"
STEP = "the optimizer's step"
REST = "between two steps"
RUNNING = (BACKWARD, LAYERS, REDUCED, STEP, REST)
MOMENTS = (START, *RUNNING)
"""Moments of a training. An accelerator holds most at one of the first five."""

Operation = Callable[[float, float], float]
OPERATIONS: dict[type[ast.operator], Operation] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
FUNCTIONS: dict[str, Callable[..., float]] = {"min": min, "max": max}


@functools.cache
def _parse(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


Bounds = float | tuple[float, float]
"""A number, or the bounds between which it is."""
Symbols = Mapping[str, Bounds]
LOW, HIGH = 0, 1


def compute_value(text: str, symbols: Symbols, side: int = HIGH) -> float:
    """The result of a formula. side: LOW or HIGH, for symbols that have bounds."""
    return _compute_node(_parse(text), {name: _choose_bound(symbols[name], side) for name in list_symbols(text)})


def _choose_bound(bounds: Bounds, side: int) -> float:
    return float(bounds[side]) if isinstance(bounds, tuple) else float(bounds)


def _compute_node(node: ast.expr, symbols: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return float(number)
        case ast.Name(id=name):
            return symbols[name]
        case ast.BinOp(left=left, op=op, right=right):
            return OPERATIONS[type(op)](_compute_node(left, symbols), _compute_node(right, symbols))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return FUNCTIONS[name](*(_compute_node(argument, symbols) for argument in arguments))
    raise ValueError(f"not a formula: {ast.unparse(node)}")


@functools.cache
def list_symbols(text: str) -> tuple[str, ...]:
    found = (node.id for node in ast.walk(_parse(text)) if isinstance(node, ast.Name) and node.id not in FUNCTIONS)
    return tuple(dict.fromkeys(found))


def insert_numbers(text: str, symbols: Symbols, side: int = HIGH) -> str:
    """A formula with the numbers in place of its symbols."""
    tree = ast.parse(text, mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id not in FUNCTIONS:
            node.id = format_number(_choose_bound(symbols[node.id], side))
    return ast.unparse(tree)


def format_number(number: float) -> str:
    """A number as a person would write it: 8030261248, 1.5 or 3.12e+14."""
    if number == int(number) and abs(number) < 1e13:
        return str(int(number))
    return f"{number:.4g}"


@dataclass(frozen=True)
class Item:
    """One part of a sum.

    low, high: bytes; seconds for a part of a step. formula: what is computed, of symbols. numbers: the same with the
    numbers in it. source: where the formula is from. at: the moments at which it is there.
    """

    name: str
    low: float
    high: float
    formula: str
    numbers: str
    source: str
    at: frozenset[str] = frozenset(MOMENTS)


def make_item(name: str, low: str, high: str, symbols: Symbols, source: str, at: Collection[str] = MOMENTS) -> Item:
    """An item whose bounds are the results of two formulas."""
    bounds = compute_value(low, symbols, LOW), compute_value(high, symbols, HIGH)
    numbers = insert_numbers(low, symbols, LOW), insert_numbers(high, symbols, HIGH)
    return Item(
        name,
        *bounds,
        formula=low if low == high else f"{low} to {high}",
        numbers=numbers[LOW] if numbers[LOW] == numbers[HIGH] else f"{numbers[LOW]} to {numbers[HIGH]}",
        source=source,
        at=frozenset(at),
    )


@dataclass(frozen=True)
class Total:
    """The most that is held at one moment.

    low: a step never needs less: the largest sum of lower bounds of a moment. high: the largest sum of upper bounds.
    moment: that of high. items: what is held then; the sum of their upper bounds is high, and that of their lower
    bounds is at most low. least: what is held at the moment of low, of whose lower bounds low is the sum.
    """

    low: float
    high: float
    moment: str
    items: tuple[Item, ...]
    least: tuple[Item, ...] = ()


def compute_total(items: Iterable[Item], moments: Collection[str] = MOMENTS) -> Total:
    """The most that items need together at one moment."""
    some = tuple(items)
    held = {moment: list_items_at(moment, some) for moment in moments}
    highs = {moment: sum(one.high for one in those) for moment, those in held.items()}
    peak = max(highs, key=lambda moment: highs[moment])
    lows = {moment: sum(one.low for one in those) for moment, those in held.items()}
    least = max(lows, key=lambda moment: lows[moment])
    return Total(lows[least], highs[peak], peak, held[peak], held[least])


def list_items_at(moment: str, items: Iterable[Item]) -> tuple[Item, ...]:
    return tuple(item for item in items if moment in item.at)
