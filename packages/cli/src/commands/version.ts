import { Command } from "commander";
import { readVersion } from "../version.ts";

export function versionCommand(): Command {
  return new Command("version")
    .description("print the versions of jackfield and its Node")
    .addHelpText("after", "\nExample:\n  $ jackfield version")
    .action(() => console.log(`jackfield ${readVersion()} (Node ${process.versions.node})`));
}
