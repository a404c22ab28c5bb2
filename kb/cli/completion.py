"""The command that prints a script for a shell to complete commands and options."""

from __future__ import annotations

import click

from kb.cli.command import Command

_SHELLS = ("bash", "zsh", "fish")


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(_SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print a script that completes commands and options in a shell.

    \b
    bash:  sansho completion bash >> ~/.bashrc
    zsh:   sansho completion zsh >> ~/.zshrc
    fish:  sansho completion fish > ~/.config/fish/completions/sansho.fish
    """
    from click.shell_completion import get_completion_class

    script = get_completion_class(shell)
    assert script
    click.echo(script(ctx.find_root().command, {}, "sansho", "_SANSHO_COMPLETE").source())
