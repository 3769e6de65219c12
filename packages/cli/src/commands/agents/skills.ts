import { cp, readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { messageOf, UserError } from "../../user-error.ts";

const source = fileURLToPath(new URL("../../../skills/", import.meta.url));

export function skillsCommand(): Command {
  return new Command("skills")
    .description("write skills for coding agents into this project")
    .option("--folder <folder>", "folder in which your agent looks for skills", ".claude/skills")
    .option("--force", "also replace changed skills")
    .addHelpText(
      "after",
      "\nExamples:\n  $ jackfield skills\n  $ jackfield skills --folder .agents/skills",
    )
    .action(writeSkills);
}

async function writeSkills({ folder, force }: { folder: string; force?: true }): Promise<void> {
  for (const name of await readdir(source)) {
    const target = join(process.cwd(), folder, name);
    const options = { recursive: true, force: force === true, errorOnExist: force !== true };
    try {
      await cp(join(source, name), target, options);
    } catch (error) {
      if (Object(error).code === "ERR_FS_CP_EEXIST") {
        throw new UserError(`${join(folder, name)} is there already; --force replaces it.`);
      }
      throw new UserError(`${target} cannot be written: ${messageOf(error)}`, { cause: error });
    }
    console.log(`Wrote ${join(folder, name)}.`);
  }
}
