import { Command } from "commander";
import { messageOf, UserError } from "../../user-error.ts";
import { loadServer } from "../vault/vault-server.ts";

export function quarantineCommand(): Command {
  return new Command("quarantine")
    .description(
      "keep a copy of an installation, made by other means, from doing anything by itself",
    )
    .addHelpText(
      "after",
      "\nRun it on a copy that pg_dump, PITR or a snapshot has made, before anything is started on it.\n" +
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
      "\nOnly once the original is stopped for good: two copies that refresh one token end it at the provider.\n" +
        "Processes that run begin their work within two seconds.\n\nExample:\n  $ jackfield resume",
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
