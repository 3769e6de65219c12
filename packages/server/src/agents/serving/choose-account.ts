import type { ToolFailure } from "#mcp";
import type { Account } from "../sessions/accounts.ts";

type Chosen = { readonly account: Account } | { readonly refusal: ToolFailure };

const SHOWN_ACCOUNTS = 20;

/** The account that a call is for: the only one, or the one that it names; never a guess. */
export function chooseAccount(
  accounts: readonly Account[],
  { integration, account: named }: { integration: string; account: unknown },
): Chosen {
  const own = accounts.filter((each) => each.integration === integration);
  if (own.length === 0) {
    return {
      refusal: {
        ...{ code: "authorization_required", integration },
        message: `The user has not connected "${integration}".`,
        next: "Ask the user to connect it, then call again.",
      },
    };
  }
  const matches = named === undefined ? own : own.filter((each) => isNamed(each, named));
  const [account] = matches;
  if (matches.length === 1 && account !== undefined) return { account };
  return {
    refusal: {
      code: "account_required",
      message:
        named === undefined
          ? `The user has ${own.length} accounts of "${integration}".`
          : `The user has no account "${String(named).slice(0, 100)}" of "${integration}".`,
      next: "Ask the user which account is meant, and call again with it as `account`.",
      details: describeChoice(own.slice(0, SHOWN_ACCOUNTS)),
    },
  };
}

/** The names to choose from, and whose they are as far as the providers have said. */
function describeChoice(accounts: readonly Account[]) {
  const reported = accounts.flatMap(({ alias, connection: { account } }) =>
    account === undefined ? [] : [[alias, account] as const],
  );
  return {
    accounts: accounts.map(({ alias }) => alias),
    ...(reported.length === 0 ? {} : { at_provider: Object.fromEntries(reported) }),
  };
}

function isNamed({ alias, connection }: Account, named: unknown): boolean {
  return named === alias || named === connection.connectionId;
}
