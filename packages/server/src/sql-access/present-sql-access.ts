import type { RouteOutput, sqlAccessRoutes } from "@jackfield/contract";
import { listLastChanges } from "#audit";
import type { EnvironmentContext } from "#foundation";
import { canSignIn } from "./login/store.ts";
import { noAccess } from "./open-access.ts";
import { requireOffered } from "./require-offered.ts";
import { type NewLogin, stateOf } from "./sql-access.ts";
import { findAccess } from "./store.ts";

type Presented = NonNullable<RouteOutput<typeof sqlAccessRoutes.getSqlAccess>["data"]>;
type PresentedNew = RouteOutput<typeof sqlAccessRoutes.createSqlAccess>["data"];

const DEFAULT_PORT = 5432;

/** Null when the environment has no login. Throws feature_disabled. */
export async function presentSqlAccess(ctx: EnvironmentContext): Promise<Presented | null> {
  const url = requireOffered(ctx);
  const access = await findAccess(ctx.db, ctx.environment.id);
  if (access === undefined) return null;
  const { role, schema, views } = access;
  return {
    state: stateOf(access, await canSignIn(ctx.db, role)),
    host: url.hostname,
    port: url.port === "" ? DEFAULT_PORT : Number(url.port),
    database: decodeURIComponent(url.pathname.slice(1)),
    role,
    schema,
    views: Object.entries(views)
      .map(([name, model]) => ({ name, model }))
      .sort((a, b) => (a.name < b.name ? -1 : 1)),
    created_at: access.createdAt.toISOString(),
    created_by: await findCreator(ctx),
    password_set_at: access.passwordSetAt.toISOString(),
  };
}

/** The only time that the password leaves. */
export async function presentNewAccess(
  ctx: EnvironmentContext,
  { role, password }: NewLogin,
): Promise<PresentedNew> {
  const data = await presentSqlAccess(ctx);
  if (data === null) throw noAccess();
  const url = requireOffered(ctx);
  url.username = role;
  url.password = password.reveal();
  return { ...data, password: password.reveal(), url: url.href };
}

async function findCreator(ctx: EnvironmentContext): Promise<Presented["created_by"]> {
  const [created] = await listLastChanges(ctx, { actions: ["createSqlAccess"], byTarget: [] });
  if (created === undefined) return null;
  const { kind, id, name } = created.actor;
  return kind === "key" || kind === "user"
    ? { kind, id, name }
    : { kind: "system", id: null, name: null };
}
