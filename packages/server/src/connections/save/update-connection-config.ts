import { isSecretConfig } from "#auth-modes";
import { AppError, type EnvironmentContext, invalidFields } from "#foundation";
import { withTransaction } from "#foundation/db";
import { findFieldFault, findProviderOf, type Integration, takeAliases } from "#integrations";
import { recordChange } from "#logs";
import type { ConnectionForCall } from "../read/find-connection-for-call.ts";
import { lockConnectionConfig, storeConnectionConfig } from "../store.ts";
import { subjectOf } from "../subject-of.ts";
import { requireSmall } from "./require-small.ts";
import { requireStorableJson } from "./require-storable-json.ts";

type Values = Readonly<Record<string, string>>;

const LOOKS_SECRET =
  "looks like a secret, which is kept with the credentials: connect or import again to change it";

/** Set by the server, or secrets that are kept with the credentials. */
const fixedNames: Readonly<Record<string, string>> = {
  emailAddressHash: "is set by Jackfield",
  oauth_client_secret_override: "is a secret: connect or import again to change it",
  oauth_client_id_override: "belongs to a secret: connect or import again to change it",
};

/** Merges values into a connection's configuration and returns all of it; throws invalid_body, not_found. */
export async function updateConnectionConfig(
  ctx: EnvironmentContext,
  { integration, connection }: ConnectionForCall,
  given: Values,
): Promise<Values> {
  requireStorableJson(given);
  const change = toOwnNames(integration, given);
  requireChangeable(integration, change);
  const config = await withTransaction(ctx, async (ctx) => {
    const before = await lockConnectionConfig(ctx.db, ctx.environment.id, connection.uuid);
    if (before === undefined) {
      throw new AppError("not_found", `Connection ${connection.connectionId} was just deleted.`);
    }
    const values = Object.entries({ ...before, ...change }).filter(([, value]) => value !== "");
    const config: Values = Object.fromEntries(values);
    requireSmall(ctx, "configuration", config);
    const now = ctx.clock.now();
    await storeConnectionConfig(ctx.db, ctx.environment.id, connection.uuid, { config, now });
    return config;
  });
  recordChange(ctx, {
    message: `Change the configuration of connection ${connection.connectionId}`,
    subject: subjectOf(integration, connection),
    meta: { fields: Object.keys(change) },
  });
  return config;
}

function toOwnNames(integration: Integration, given: Values): Values {
  const provider = findProviderOf(integration);
  if (provider === undefined) return given;
  const { config, faults } = takeAliases(provider, given);
  if (faults.length > 0) throw invalidFields("invalid_body", faults);
  return config;
}

function requireChangeable(integration: Integration, change: Values): void {
  const provider = findProviderOf(integration);
  const fields = provider?.connection_config ?? {};
  const faults = Object.entries(change).flatMap(([name, value]) => {
    const isSecret = isSecretConfig(provider, [name, value]);
    const message = findFault(name, fields[name], value) ?? (isSecret ? LOOKS_SECRET : undefined);
    return message === undefined ? [] : [{ message, path: [name] }];
  });
  if (faults.length > 0) throw invalidFields("invalid_body", faults);
}

function findFault(
  name: string,
  field: Parameters<typeof findFieldFault>[0] | undefined,
  value: string,
): string | undefined {
  if (Object.hasOwn(fixedNames, name)) return fixedNames[name];
  if (field === undefined) return undefined;
  if (field.automated) return "is set by Jackfield";
  if (field.secret) return "is a secret: connect or import again to change it";
  return findFieldFault(field, value);
}
