"""`ptxlift cache`: the cache of translations."""

from __future__ import annotations

import click

from ptxlift.driver.cache import Cache

_ACTIONS = ("show", "verify", "trim", "clear")


@click.command("cache")
@click.argument("action", type=click.Choice(_ACTIONS), default="show")
@click.option("--cache-dir", help="Another folder than the usual.")
def command(action: str, cache_dir: str | None) -> None:
    """Show the cache, verify its entries, trim it to its limit, or clear it.

    Its folder is PTXLIFT_CACHE_DIR, else ptxlift in XDG_CACHE_HOME (or LOCALAPPDATA), else
    ~/.cache/ptxlift. PTXLIFT_CACHE_SIZE is its limit (500M, 2G, ...; unset: 1G; 0: no cache).
    """
    cache = Cache.default(cache_dir)
    if cache is None:
        click.echo("no cache: PTXLIFT_CACHE_SIZE is 0")
        return
    match action:
        case "trim":
            click.echo(f"removed {_entries(cache.trim())}")
        case "clear":
            click.echo(f"removed {_entries(cache.clear())}")
        case "verify":
            _verify(cache)
        case _:
            _show(cache)


def _show(cache: Cache) -> None:
    entries, size = cache.total()
    click.echo(f"folder   {cache.root}")
    click.echo(f"entries  {entries}")
    click.echo(f"bytes    {size} of {cache.limit}")


def _verify(cache: Cache) -> None:
    bad = cache.verify()
    for path in bad:
        click.echo(f"damaged: {path}")
    if bad:
        raise SystemExit(1)
    click.echo(f"{_entries(cache.total()[0])}, all whole")


def _entries(number: int) -> str:
    return f"{number} {'entry' if number == 1 else 'entries'}"
