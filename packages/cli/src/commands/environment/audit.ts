import { Command } from "commander";
import { messageOf, UserError } from "../../user-error.ts";
import { loadServer } from "../vault/vault-server.ts";

export function auditCommand(): Command {
  const audit = new Command("audit").description("the log of who changed what on this server");
  audit
    .command("verify")
    .description("check every row and every seal; exit code 1 if anything was altered")
    .option("--head <seal>", "a seal that you stored elsewhere and that the log has to contain")
    .addHelpText(
      "after",
      "\nWorks on the server's database directly, whether the server runs or not. See docs/audit.md.\n" +
        "\nExamples:\n  $ jackfield audit verify",
    )
    .action(verifyAudit);
  return audit;
}

async function verifyAudit(options: { head?: string }): Promise<void> {
  const { server, config } = await loadServer();
  const report = await server.verifyAudit(config, options.head).catch((cause: unknown) => {
    throw new UserError(`The audit log cannot be read: ${messageOf(cause)}`, { cause });
  });
  const { seals, events, unsealed, faults, head } = report;
  const under = `${seals} ${seals === 1 ? "seal" : "seals"}`;
  console.log(
    `${events} ${events === 1 ? "event" : "events"} under ${under}, ${unsealed} not sealed yet`,
  );
  if (head !== undefined) console.log(`last seal: ${head}`);
  if (faults.length === 0) return;
  for (const fault of faults) console.error(fault);
  console.error(
    `${faults.length} ${faults.length === 1 ? "fault" : "faults"}: the log was altered after it was written.`,
  );
  process.exitCode = 1;
}
