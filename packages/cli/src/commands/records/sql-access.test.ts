import { expect, test } from "vitest";
import { watchCommands } from "../../testing/watch-commands.ts";

const commands = watchCommands();

test("the commands show, create, rotate and revoke the login of an environment", async () => {
  const login = { data: { role: "jackfield_sql_1" } };
  commands.answers = [login, login, login];

  for (const name of ["show", "create", "rotate", "revoke"]) await commands.run("sql-access", name);

  expect(commands.asked).toEqual([
    "GET /records/sql-access",
    "POST /records/sql-access",
    "POST /records/sql-access/rotate",
    "DELETE /records/sql-access",
  ]);
  expect(commands.printed.match(/jackfield_sql_1/g)).toHaveLength(3);
});
