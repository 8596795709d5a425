"""`ptxlift targets`: the chips and what they have."""

from __future__ import annotations

import click

from ptxlift.target import NVIDIA_TARGETS, all_targets


@click.command("targets")
def command() -> None:
    """List the AMDGPU targets: waves, shared memory, registers, target-id features; and the NVIDIA
    ones: the first PTX version that has each.
    """
    click.echo(f"{'target':<18}{'waves':<9}{'LDS':>8}  {'VGPRs':>5}  {'AGPRs':>5}  features")
    for target in all_targets():
        waves = ", ".join(str(size) for size in target.wave_sizes)
        settings = [n for n, yes in (("sramecc", target.sramecc), ("xnack", target.xnack)) if yes]
        click.echo(
            f"{target.name:<18}{waves:<9}{target.lds_bytes:>8}  {target.vgprs:>5}  "
            f"{target.agprs:>5}  {' '.join(settings)}"
        )
    click.echo(f"\n{'target':<18}PTX")
    for nvidia in NVIDIA_TARGETS:
        major, minor = nvidia.least
        click.echo(f"{nvidia.name:<18}{major}.{minor}")
