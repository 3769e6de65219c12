import { timingSafeEqual } from "node:crypto";
import { AppError, type SystemContext } from "#foundation";
import { lookupHash } from "#vault";

/** A keyed hash of the session: who has not read an answer to it cannot know it. */
export async function csrfTokenOf(ctx: SystemContext, sessionId: string): Promise<string> {
  return (await lookupHash(ctx, "csrf", sessionId)).toString("base64url");
}

export async function requireCsrfToken(
  ctx: SystemContext,
  { sessionId, sent }: { sessionId: string; sent: string | string[] | undefined },
): Promise<void> {
  if (typeof sent !== "string") {
    throw new AppError(
      "untrusted_request",
      "A session's call carries `Svc-Csrf`, once: the text is `csrf_token` of `GET /me`.",
    );
  }
  const expected = Buffer.from(await csrfTokenOf(ctx, sessionId));
  const given = Buffer.from(sent);
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw new AppError(
    "untrusted_request",
    "`Svc-Csrf` is not of this session: read `csrf_token` of `GET /me` again.",
  );
}
