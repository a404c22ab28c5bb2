"""The commands about what is installed: plugins, and completion, a script for a shell."""

from __future__ import annotations

import click

import kb as public
from kb.cli import options
from kb.cli.command import Command
from kb.cli.print_result import print_result


@click.command(cls=Command)
@options.json_document
def plugins(as_json: bool) -> None:
    """List the plug-ins that are installed, what each adds, and which are of no use, and why.

    A plug-in is a Python package with an entry point of sansho; docs/plugins.md shows how to write
    one. With SANSHO_PLUGINS=none in the environment none is read. The exit code is 1 if one is of
    no use.
    """
    found = public.plugins()
    works = not any(plugin.problem for plugin in found)
    print_result(found, as_json, "builds_and_audits.print_plugins", found=works)


@click.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
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
