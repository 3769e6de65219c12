import * as z from "zod";
import { AppError } from "#platform";

const values = z.record(z.string().min(1).max(255), z.string().max(8192)).optional();

const authorizationQuery = z.strictObject({
  connect_session_token: z.string().optional(),
  public_key: z.string().optional(),
  params: values,
  user_scope: z.string().max(2048).optional(),
  authorization_params: values,
});

export type AuthorizationQuery = z.output<typeof authorizationQuery> & {
  readonly connect_session_token: string;
};

/** What the browser was sent to `/oauth/connect` with; throws invalid_query_params or a 401 code. */
export function parseAuthorizationQuery(query: unknown): AuthorizationQuery {
  const parsed = authorizationQuery.safeParse(query);
  if (!parsed.success) {
    const details = parsed.error.issues.map(({ code, message, path }) => ({
      code,
      message,
      path: path.map(String),
    }));
    const where = details[0]?.path.join(".") ?? "";
    const prefix = where === "" ? "" : `${where}: `;
    throw new AppError("invalid_query_params", `${prefix}${details[0]?.message ?? "not valid"}`, {
      details,
    });
  }
  const { connect_session_token: token, public_key: publicKey } = parsed.data;
  if (token !== undefined) return { ...parsed.data, connect_session_token: token };
  if (publicKey !== undefined) throw new AppError("deprecated_authentication");
  throw new AppError(
    "invalid_connect_session_token_format",
    "Add the session's token as connect_session_token.",
  );
}
