import type { EnvironmentContext } from "#foundation";
import { type AssociatedData, openJson, sealJson } from "#vault";
import type { Subject } from "./erasure.ts";

function aadOf(ctx: EnvironmentContext, id: string): AssociatedData {
  return { environmentId: ctx.environment.id, table: "erasures", column: "subject", row: id };
}

export async function sealSubject(
  ctx: EnvironmentContext,
  id: string,
  subject: Subject,
): Promise<Buffer> {
  return await sealJson(ctx, aadOf(ctx, id), subject);
}

export async function openSubject(
  ctx: EnvironmentContext,
  id: string,
  sealed: Buffer,
): Promise<Subject> {
  // Sealed by sealSubject.
  return (await openJson(ctx, aadOf(ctx, id), sealed)) as Subject;
}
