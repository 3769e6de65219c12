import type { IncomingHttpHeaders } from "node:http";
import { type Principal, scopesInAccount, scopesInEnvironment } from "@jackfield/contract";
import { findNamedEnvironment } from "#environments";
import {
  AppError,
  type EnvironmentContext,
  invalidFields,
  type SystemContext,
  withEnvironment,
} from "#foundation";
import type { SignedIn } from "./authenticate-user.ts";

/** What decides where a user acts. */
interface Wanted {
  readonly principals: readonly Principal[];
  readonly headers: IncomingHttpHeaders;
}

export interface PlacedUser {
  readonly ctx: SystemContext | EnvironmentContext;
  /** Of the environment of the call; false for calls of the account. */
  readonly isProduction: boolean;
}

/**
 * The context of a user's call: in the environment of `Svc-Environment` where the route takes a key of one, else in
 * the account. Throws unknown_environment for one in which the user may do nothing, like for one that does not exist.
 */
export async function placeUser(
  ctx: SystemContext,
  signedIn: SignedIn,
  { principals, headers }: Wanted,
): Promise<PlacedUser> {
  const { userId, userName, accountId, sessionId, elevatedUntil, grants } = signedIn;
  const user = { kind: "user", userId, userName, accountId, sessionId, elevatedUntil } as const;
  const name = headers["svc-environment"];
  const isInside = principals.includes("environment") && name !== undefined;
  if (!isInside) {
    if (principals.includes("account") || principals.includes("user")) {
      return {
        ctx: { ...ctx, actor: { ...user, scopes: scopesInAccount(grants) } },
        isProduction: false,
      };
    }
    throw invalidFields("invalid_headers", [
      {
        path: ["svc-environment"],
        message: "is missing: name the environment that the session acts in, by its name or id",
      },
    ]);
  }
  const found = await findNamedEnvironment(ctx, { accountId, name: String(name) });
  const scopes = found === undefined ? [] : scopesInEnvironment(grants, found);
  if (found === undefined || scopes.length === 0) {
    throw new AppError(
      "unknown_environment",
      `There is no environment ${String(name)} that you may use.`,
    );
  }
  const environment = { id: found.id, name: found.name, accountId };
  const { isProduction } = found;
  return { ctx: withEnvironment(ctx, environment, { ...user, scopes }), isProduction };
}
