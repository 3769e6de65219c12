import { AppError, type EnvironmentContext, serverState } from "#foundation";

/** Of one caller and of one environment, in one process. */
const MOST_OF_OWNER = 20;
const MOST_OF_ENVIRONMENT = 1000;

const open = serverState(() => new Map<string, number>());

/** Counts one that listens, until it is disposed. Throws too_many_request. */
export function admitListener(ctx: EnvironmentContext, owner: string): Disposable {
  const counts = open.of(ctx);
  const { id } = ctx.environment;
  const bounds = [
    [`${id} ${owner}`, MOST_OF_OWNER],
    [id, MOST_OF_ENVIRONMENT],
  ] as const;
  for (const [name, most] of bounds) {
    if ((counts.get(name) ?? 0) < most) continue;
    throw new AppError(
      "too_many_request",
      "Too many requests listen for changes at once; end one of them.",
    );
  }
  for (const [name] of bounds) counts.set(name, (counts.get(name) ?? 0) + 1);
  return {
    [Symbol.dispose]() {
      for (const [name] of bounds) {
        const left = (counts.get(name) ?? 0) - 1;
        if (left > 0) counts.set(name, left);
        else counts.delete(name);
      }
    },
  };
}
