import { once } from "node:events";
import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { createTestDatabase } from "../../testing/index.ts";
import { requireAnswer } from "./require-answer.ts";

const name = "SVC_DATABASE_URL";

test("a database that takes connections and says nothing is named with the time that it had", async () => {
  const silent = createServer(() => undefined);
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  onTestFinished(() => void silent.close());
  const { port } = Object(silent.address());

  const asking = requireAnswer(`postgres://a:b@127.0.0.1:${port}/x`, { name, withinMs: 100 });

  await expect(asking).rejects.toThrow(
    `The database at 127.0.0.1:${port} (SVC_DATABASE_URL) did not answer within 0.1 s.`,
  );
});

test("a database that is not there, and one that does not let in, are named with the reason", async () => {
  const { connectionString } = await createTestDatabase();
  const unknown = new URL(connectionString);
  unknown.pathname = "/no_such_database";

  const absent = requireAnswer("postgres://a:b@127.0.0.1:1/x", { name });

  await expect(absent).rejects.toThrow("(SVC_DATABASE_URL) cannot be used: connect ECONNREFUSED");
  await expect(requireAnswer(unknown.href, { name })).rejects.toThrow(
    'cannot be used: database "no_such_database" does not exist',
  );
  await expect(requireAnswer(connectionString, { name })).resolves.toBeUndefined();
});
