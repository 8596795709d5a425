"""`ptxlift lsp`: the language server on standard input and output."""

from __future__ import annotations

import click


@click.command("lsp")
@click.option("--target", "-t", default="gfx942", show_default=True, help="For checks and hovers.")
@click.option("--stdio", is_flag=True, help="The only way it speaks; some editors say so.")
def command(target: str, stdio: bool) -> None:
    """Serve an editor over the language server protocol."""
    try:
        from ptxlift.lsp.server import PtxServer
    except ModuleNotFoundError as missing:
        if (missing.name or "").split(".")[0] not in ("pygls", "lsprotocol"):
            raise
        raise click.UsageError("the server needs pygls: pip install 'ptxlift[lsp]'") from None
    PtxServer(target).server.start_io()
