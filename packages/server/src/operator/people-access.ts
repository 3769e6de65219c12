import type { Role } from "@jackfield/contract";
import { ensureAccount } from "#accounts";
import { recordAudit } from "#audit";
import type { Config } from "#config";
import type { SystemContext } from "#foundation";
import {
  disableByOperator,
  findUserByEmail,
  grantByOperator,
  listPeople,
  newOpenLink,
  newResetLink,
  newSetupLink,
} from "#people";
import { toDashboardUrl, toServerUrl } from "../people-settings.ts";
import { openInstallation } from "./open-installation.ts";

/** A person, as the operator sees them. */
export interface Person {
  readonly email: string;
  readonly name: string;
  /** A word for each grant, such as `developer (non-production)`. */
  readonly grants: readonly string[];
  readonly lastSignInAt: Date | undefined;
  readonly isDisabled: boolean;
}

type Work<Result> = (
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  dashboardUrl: string,
) => Promise<Result>;

/** On the database itself, for who can read it and the master key: it needs no session, and no server that runs. */
async function withInstallation<Result>(config: Config, work: Work<Result>): Promise<Result> {
  await using stack = new AsyncDisposableStack();
  const ctx = await openInstallation(stack, config);
  const serverUrl = config.serverUrl ?? toServerUrl(config.host, config.port);
  return await work(ctx, toDashboardUrl(config.dashboardUrl, serverUrl));
}

/** A new setup link in place of earlier ones; undefined once there is an owner. */
export async function makeSetupLink(config: Config): Promise<string | undefined> {
  return await withInstallation(config, async (ctx, dashboardUrl) => {
    const { accountId } = await ensureAccount(ctx);
    await noteCommand(ctx, "cli.setupLink", { accountId });
    return await newSetupLink(ctx, { accountId, dashboardUrl, replacesOthers: true });
  });
}

/** A link of two minutes that signs in the user of this address, or the first owner; undefined when there is no owner. */
export async function makeOpenLink(
  config: Config,
  email: string | undefined,
): Promise<string | undefined> {
  return await withInstallation(config, async (ctx, dashboardUrl) => {
    if (email === undefined) {
      const people = await listPeople(ctx);
      const first = people.find(({ user, grants }) => {
        return user.disabledAt === null && grants.some(({ role }) => role === "owner");
      });
      if (first === undefined) return undefined;
      await noteCommand(ctx, "cli.open", first.user);
      return (await newOpenLink(ctx, first.user, dashboardUrl)).url;
    }
    const user = await getByEmail(ctx, email);
    if (user.disabledAt !== null) throw new Error(`${email} is disabled`);
    await noteCommand(ctx, "cli.open", user);
    return (await newOpenLink(ctx, user, dashboardUrl)).url;
  });
}

export async function listPersons(config: Config): Promise<Person[]> {
  return await withInstallation(config, async (ctx) => {
    const people = await listPeople(ctx);
    return people.map(({ user, grants }) => ({
      email: user.email,
      name: user.name,
      grants: grants.map(({ role, environments }) => `${role} (${environments})`),
      lastSignInAt: user.lastSignInAt ?? undefined,
      isDisabled: user.disabledAt !== null,
    }));
  });
}

/** A link by which the user chooses a new way to sign in. */
export async function resetPerson(config: Config, email: string): Promise<string> {
  return await withInstallation(config, async (ctx, dashboardUrl) => {
    const user = await getByEmail(ctx, email);
    await noteCommand(ctx, "cli.users.reset", user);
    return (await newResetLink(ctx, user, dashboardUrl, { dropsSecondFactor: true })).url;
  });
}

/** Gives a role everywhere, in place of what the user had, and lets them sign in again. */
export async function grantPerson(config: Config, email: string, role: Role): Promise<void> {
  await withInstallation(config, async (ctx) => {
    const user = await getByEmail(ctx, email);
    await noteCommand(ctx, "cli.users.grant", user, { role });
    await grantByOperator(ctx, user, role);
  });
}

/** Ends all sessions of the user, who can begin none until a role is granted again. */
export async function disablePerson(config: Config, email: string): Promise<void> {
  await withInstallation(config, async (ctx) => {
    const user = await getByEmail(ctx, email);
    await noteCommand(ctx, "cli.users.disable", user);
    await disableByOperator(ctx, user);
  });
}

async function getByEmail({ db }: Pick<SystemContext, "db">, email: string) {
  const user = await findUserByEmail(db, email);
  if (user === undefined)
    throw new Error(`there is no user ${email}: see \`jackfield users list\``);
  return user;
}

/** Leaves a row of what was done past all rights, before it is done. */
async function noteCommand(
  ctx: Pick<SystemContext, "db" | "clock" | "keys">,
  action: string,
  { accountId, email }: { accountId: string; email?: string },
  fields: Readonly<Record<string, string>> = {},
): Promise<void> {
  await recordAudit(ctx, {
    ...{ accountId, environmentId: null, via: "system", action, fields, before: null },
    actor: { kind: "system", id: null, name: "cli", address: null, user_agent: null },
    target: email === undefined ? {} : { email },
    ...{ requestId: null, outcome: "done", code: null },
  });
}
