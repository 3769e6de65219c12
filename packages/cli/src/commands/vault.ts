import { Command } from "commander";
import { rotateVault } from "./vault/vault-rotate.ts";
import { verifyVault } from "./vault/vault-verify.ts";

export function vaultCommand(): Command {
  const vault = new Command("vault").description("encryption keys of the server on this machine");
  vault
    .command("rotate")
    .description("encrypt everything with the newest key, whether the server runs or not")
    .option("--new-key", "first add a new key to the key file (not with SVC_ENCRYPTION_KEY)")
    .option("--data-keys", "also replace the data keys and re-encrypt everything")
    .addHelpText(
      "after",
      "\nInterrupted at any point, run the same command again to continue. See docs/vault.md for the full procedure.\n" +
        "\nExamples:\n  $ jackfield vault rotate --new-key\n  $ jackfield vault rotate --data-keys",
    )
    .action(rotateVault);
  vault
    .command("verify")
    .description("decrypt everything and print counts; exit code 1 if anything fails")
    .addHelpText("after", "\nPlaintext is never printed.\n\nExamples:\n  $ jackfield vault verify")
    .action(verifyVault);
  return vault;
}
