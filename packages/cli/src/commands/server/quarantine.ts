import { Command } from "commander";
import { messageOf, UserError } from "../../user-error.ts";
import { loadServer } from "../vault/vault-server.ts";

export function quarantineCommand(): Command {
  return new Command("quarantine")
    .description("put a copy of an installation that was made by other means into quarantine")
    .addHelpText(
      "after",
      "\nRun it on a copy made by pg_dump, PITR or a snapshot, before you start anything on it.\n" +
        "\nExample:\n  $ SVC_DATABASE_URL=postgres://… jackfield quarantine",
    )
    .action(async () => {
      const isNew = await change("on");
      console.log(
        isNew
          ? "The installation is in quarantine: no syncs, refreshes or deliveries until `jackfield resume`."
          : "The installation is in quarantine already.",
      );
    });
}

export function resumeCommand(): Command {
  return new Command("resume")
    .description("end the quarantine of a restored copy")
    .addHelpText(
      "after",
      "\nRun it only after the original has stopped permanently: if two copies refresh a token, the provider revokes it.\n" +
        "Running processes begin their work within two seconds.\n\nExample:\n  $ jackfield resume",
    )
    .action(async () => {
      const isOver = await change("off");
      console.log(isOver ? "The quarantine is over." : "The installation is not in quarantine.");
    });
}

async function change(wanted: "on" | "off"): Promise<boolean> {
  const { server, config } = await loadServer();
  return await server.changeQuarantine(config, wanted).catch((cause: unknown) => {
    throw new UserError(`Nothing has changed: ${messageOf(cause)}`, { cause });
  });
}
