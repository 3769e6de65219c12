import { Argument, Command } from "commander";
import { printTable } from "../../output/print-table.ts";
import { withServer, worksOnDatabase } from "./with-server.ts";

const roles = ["owner", "admin", "developer", "support", "read-only"] as const;

export function usersCommand(): Command {
  const users = new Command("users").description(
    "people who can sign in, for who operates the server: no session is needed",
  );
  users.command("list").description("list all users and their rights").action(listUsers);
  users
    .command("reset <e-mail>")
    .description("print a link with which the user chooses a new way to sign in")
    .action(async (email: string) => {
      const link = await withServer(
        async (server, config) => await server.resetPerson(config, email),
      );
      console.error("Works once, within 48 hours, and ends earlier links:");
      console.log(link);
    });
  users
    .command("grant <e-mail>")
    .description(
      "grant a role in all environments, instead of other rights, and enable the user again",
    )
    .addArgument(new Argument("<role>", "what the user may do").choices(roles))
    .action(async (email: string, role: (typeof roles)[number]) => {
      await withServer(async (server, config) => await server.grantPerson(config, email, role));
      console.error(`${email} is ${role} everywhere.`);
    });
  users
    .command("disable <e-mail>")
    .description("end all sessions of a user and disable the user until a role is granted again")
    .action(async (email: string) => {
      await withServer(async (server, config) => await server.disablePerson(config, email));
      console.error(`${email} cannot sign in.`);
    });
  return users.addHelpText(
    "after",
    `${worksOnDatabase}\nExamples:\n  $ jackfield users list\n  $ jackfield users reset ada@example.com\n  $ jackfield users grant ada@example.com owner`,
  );
}

async function listUsers(): Promise<void> {
  const people = await withServer(async (server, config) => await server.listPersons(config));
  if (people.length === 0) {
    console.error("There are no users yet: `jackfield setup-link` makes the link of the first.");
    return;
  }
  printTable([
    ["E-MAIL", "NAME", "ROLES", "LAST SIGN-IN", "STATE"],
    ...people.map(({ email, name, grants, lastSignInAt, isDisabled }) => [
      email,
      name,
      grants.join(", "),
      lastSignInAt?.toISOString() ?? "never",
      isDisabled ? "disabled" : "can sign in",
    ]),
  ]);
}
