import { AppError, type EnvironmentContext } from "#foundation";
import { findRunningCanary } from "./store.ts";

/** What a canary compares must not change; the caller holds the lock of deployments. Throws canary_running. */
export async function requireNoCanary(ctx: EnvironmentContext): Promise<void> {
  const running = await findRunningCanary(ctx.db, ctx.environment.id);
  if (running === undefined) return;
  throw new AppError(
    "canary_running",
    `The canary ${running.id} is running: promote it or roll it back first (\`jackfield canary\`).`,
  );
}
