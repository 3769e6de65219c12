import { readdir, readFile } from "node:fs/promises";
import type { RouteOutput, routes } from "@jackfield/contract";
import { expect, expectTypeOf, test } from "vitest";
import type * as z from "zod";
import type { ConnectionChange, NewConnectSession, NewReconnectSession } from "./requests.ts";
import type {
  Connection,
  ConnectSession,
  EnvironmentVariable,
  Integration,
  MetadataChange,
  Provider,
  RecordPage,
  SyncStatus,
} from "./resources.ts";

type Routes = typeof routes;
type Output<Name extends keyof Routes> = RouteOutput<Routes[Name]>;
type Body<Name extends keyof Routes> = Routes[Name] extends {
  body: infer Schema extends z.ZodType;
}
  ? z.input<Schema>
  : never;

// The compiler checks these: an error here means that the contract has moved.
test("what the API answers is what the client says", () => {
  expectTypeOf<Output<"listProviders">>().toExtend<{ data: Provider[] }>();
  expectTypeOf<Output<"listIntegrations">>().toExtend<{ data: Integration[] }>();
  expectTypeOf<Output<"getIntegration">>().toExtend<{ data: Integration }>();
  expectTypeOf<Output<"getConnection">>().toExtend<Connection>();
  expectTypeOf<Output<"createConnection">>().toExtend<Connection>();
  expectTypeOf<Output<"listConnections">>().toExtend<{ connections: Connection[] }>();
  expectTypeOf<Output<"setMetadata">>().toExtend<MetadataChange>();
  expectTypeOf<Output<"createConnectSession">>().toExtend<{ data: ConnectSession }>();
  expectTypeOf<Output<"getSyncStatus">>().toExtend<{ syncs: SyncStatus[] }>();
  expectTypeOf<Output<"listRecords">>().toExtend<RecordPage<object>>();
  expectTypeOf<Output<"listEnvironmentVariables">>().toExtend<EnvironmentVariable[]>();
});

test("what the client lets a caller send is what the API takes", () => {
  expectTypeOf<MetadataChange>().toExtend<Body<"setMetadata">>();
  expectTypeOf<NewConnectSession>().toExtend<Body<"createConnectSession">>();
  expectTypeOf<NewReconnectSession>().toExtend<Body<"createReconnectSession">>();
  expectTypeOf<ConnectionChange>().toExtend<Body<"updateConnection">>();
});

test("sources import nothing but each other, and the package needs no other", async () => {
  const folder = new URL("./", import.meta.url);
  const files = (await readdir(folder)).filter((name) => /^[a-z-]+\.ts$/.test(name));

  const imports = await Promise.all(
    files.map(async (name) => {
      const text = await readFile(new URL(name, folder), "utf8");
      return [...text.matchAll(/(?:from|import\()\s*"([^"]+)"/g)].map(([, from = ""]) => from);
    }),
  );
  const manifest = await readFile(new URL("../package.json", folder), "utf8");

  expect(imports.flat().length).toBeGreaterThan(10);
  expect(imports.flat().filter((from) => !from.startsWith("./"))).toEqual([]);
  expect(JSON.parse(manifest)).not.toHaveProperty("dependencies");
});
