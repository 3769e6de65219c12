import { randomBytes } from "node:crypto";
import { AppError, type EnvironmentContext, Secret } from "#foundation";
import { isDistributed, withTransaction } from "#foundation/db";
import { passwordVerifier } from "./login/password-verifier.ts";
import {
  type Abilities,
  canSignIn,
  closeDatabase,
  createLogin,
  dropSchema,
  endSessions,
  ensureGroups,
  findExcess,
  listForeignGroups,
  readAbilities,
  setPassword,
} from "./login/store.ts";
import { requireOffered } from "./require-offered.ts";
import { type NewLogin, newRoleName, stateOf } from "./sql-access.ts";
import { deleteAccess, findAccess, insertAccess, lockEnvironment, notePassword } from "./store.ts";
import { updateViews } from "./views/update-views.ts";

const PASSWORD_BYTES = 32;

/** Throws feature_disabled, sql_access_unavailable, and conflict when there is a login already. */
export async function createSqlAccess(ctx: EnvironmentContext): Promise<NewLogin> {
  requireOffered(ctx);
  const { id } = ctx.environment;
  return await withTransaction(ctx, async (ctx) => {
    await lockEnvironment(ctx.db, id);
    if ((await findAccess(ctx.db, id)) !== undefined) {
      throw new AppError(
        "conflict",
        "The environment has SQL access already: POST /records/sql-access/rotate makes a new password.",
      );
    }
    return await openLogin(ctx, ctx.clock.now());
  });
}

/**
 * A new password, and an end to the sessions of the one before; a new role where the database does not have it any more.
 * Throws feature_disabled, sql_access_unavailable and not_found.
 */
export async function rotateSqlAccess(ctx: EnvironmentContext): Promise<NewLogin> {
  requireOffered(ctx);
  const { id } = ctx.environment;
  const login = await withTransaction(ctx, async (ctx) => {
    const { db, clock } = ctx;
    await lockEnvironment(db, id);
    const known = await findAccess(db, id);
    if (known === undefined) throw noAccess();
    const { role, schema, createdAt } = known;
    if (stateOf(known, await canSignIn(db, role)) === "needs_new_password") {
      // The role, if there is one, is of another database.
      await dropSchema(db, schema);
      await deleteAccess(db, role);
      return await openLogin(ctx, createdAt);
    }
    const { password, verifier } = await newPassword();
    await setPassword(db, { role, verifier });
    await notePassword(db, role, clock.now());
    return { role, password };
  });
  await endSessions(ctx.db, login.role);
  return login;
}

export function noAccess(): AppError {
  return new AppError(
    "not_found",
    "The environment has no SQL access: POST /records/sql-access creates it.",
  );
}

async function newPassword(): Promise<{ password: Secret<string>; verifier: string }> {
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  return { password: new Secret(password), verifier: await passwordVerifier(password) };
}

/** In a transaction: roles and views are made with the row, or not at all. */
async function openLogin(ctx: EnvironmentContext, createdAt: Date): Promise<NewLogin> {
  const { db, clock, environment } = ctx;
  const abilities = await readAbilities(db);
  await requireRights(ctx, abilities);
  if (await isDistributed(db)) {
    throw new AppError(
      "sql_access_unavailable",
      "SQL access is not available on a distributed database, whose records lie on several servers.",
    );
  }
  const role = newRoleName();
  const { password, verifier } = await newPassword();
  await ensureGroups(db, abilities);
  await closeDatabase(db, abilities);
  await createLogin(db, { role, verifier }, abilities);
  await requireNoExcess(ctx, role, abilities);
  await insertAccess(db, environment.id, { role, createdAt, now: clock.now() });
  await updateViews(db, { role, schema: role, environmentId: environment.id, views: {} });
  return { role, password };
}

async function requireRights({ db }: EnvironmentContext, abilities: Abilities): Promise<void> {
  const { user, createsRoles } = abilities;
  if (!createsRoles) {
    throw new AppError(
      "sql_access_unavailable",
      `The server's database user may not create roles. The operator allows it with: ALTER ROLE "${user}" CREATEROLE`,
    );
  }
  const groups = await listForeignGroups(db, abilities);
  if (groups.length === 0) return;
  throw new AppError(
    "sql_access_unavailable",
    `The server's database user may not use roles that another one made. The operator allows it with: GRANT ${groups.join(", ")} TO "${user}" WITH ADMIN OPTION`,
  );
}

/** Throws with the statement that takes away what everybody may do, where the server may not run it itself. */
async function requireNoExcess(
  { db }: EnvironmentContext,
  role: string,
  { database }: Abilities,
): Promise<void> {
  const { temporary, schemas, tables } = await findExcess(db, role);
  const cures = [
    ...(temporary ? [`REVOKE TEMPORARY ON DATABASE "${database}" FROM PUBLIC`] : []),
    ...schemas.map((schema) => `REVOKE CREATE ON SCHEMA "${schema}" FROM PUBLIC`),
    ...tables.map((table) => `REVOKE ALL ON ${table} FROM PUBLIC`),
  ];
  if (cures.length === 0) return;
  throw new AppError(
    "sql_access_unavailable",
    `Every login of the database may do more than read its views. The operator changes that with: ${cures.join("; ")}`,
  );
}
