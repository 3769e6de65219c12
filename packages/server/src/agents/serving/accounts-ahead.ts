import type { EnvironmentContext } from "#platform";
import { type Account, listAccounts } from "../sessions/accounts.ts";
import type { ServedSession } from "../sessions/session.ts";

export type ReadAccounts = () => Promise<readonly Account[]>;

/**
 * Begins to read the accounts while the message is still being taken apart. Who asks first gets them; later, when the
 * user may have answered a question meanwhile, they are read again.
 */
export function readAccountsAhead(ctx: EnvironmentContext, session: ServedSession): ReadAccounts {
  let ahead: Promise<readonly Account[]> | undefined = listAccounts(ctx, session);
  // Who asks hears of it; a message that is refused asks for nothing.
  ahead.catch(() => undefined);
  return async () => {
    const first = ahead;
    ahead = undefined;
    return await (first ?? listAccounts(ctx, session));
  };
}
