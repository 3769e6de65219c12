import type { Command } from "commander";

/** A command with all words of its name, such as `webhooks verify`. */
export type NamedCommand = readonly [name: string, command: Command];

/** All commands of a program that do something; aliases with a colon, and `help`, are left out. */
export function listCommands(
  program: Command,
  path: readonly string[] = [],
): readonly NamedCommand[] {
  return program.commands
    .filter((sub) => !sub.name().includes(":") && sub.name() !== "help")
    .flatMap((sub) => {
      const name = [...path, sub.name()];
      const subs = listCommands(sub, name);
      // Some commands do something by themselves and have further ones, such as `migrate`.
      const isGroup = subs.length > 0 && sub.options.length === 0;
      return isGroup ? subs : [[name.join(" "), sub] as const, ...subs];
    });
}
