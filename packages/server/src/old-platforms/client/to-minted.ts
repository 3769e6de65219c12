import type { AuthModeId } from "@jackfield/catalogue";
import type { Minted } from "#auth-modes";
import { MoveRefused, type OldPlatform } from "../old-platform.ts";
import type { OldConnection } from "./old-platform-client.ts";

/** Credentials as this server stores them; the refresh token only for who takes the connection over. */
export function toMinted(
  { name }: Pick<OldPlatform, "name">,
  { credentials: old }: OldConnection,
  { type, withRefreshToken }: { readonly type: AuthModeId; readonly withRefreshToken: boolean },
): Minted {
  const { access_token: accessToken, refresh_token: refreshToken, config_override: client } = old;
  const expiresAt = old.expires_at ? new Date(old.expires_at) : undefined;
  const isWhole = accessToken !== undefined && !Number.isNaN(expiresAt?.getTime());
  if (!isWhole || (old.type !== undefined && old.type !== type)) {
    throw new MoveRefused(
      "old_platform_invalid_answer",
      `${name} answered without an access token; its key may not read credentials.`,
    );
  }
  const raw = {
    access_token: accessToken,
    ...(withRefreshToken && refreshToken ? { refresh_token: refreshToken } : {}),
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt.toISOString() }),
  };
  const override = Object.entries(client ?? {}).filter(([, value]) => typeof value === "string");
  return {
    credentials: {
      ...{ type, ...raw },
      ...(override.length === 0 ? {} : { config_override: Object.fromEntries(override) }),
      raw,
    },
    expiresAt,
    capturedConfig: {},
  };
}
