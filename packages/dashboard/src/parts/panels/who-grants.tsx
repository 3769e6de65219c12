import { useInfiniteQuery } from "@tanstack/react-query";
import { usersQuery } from "../../data/people/people.ts";
import { useMayInAccount } from "../../shell/use-account.ts";
import { grantsTexts } from "../../texts/screens/shell/grants.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { plainText } from "../formats.ts";

const MOST_NAMED = 5;

/** Who can give a role: by name for admins, who alone may list people; what these lack, owners give. */
export function WhoGrants() {
  const { tables } = useTexts();
  const texts = useTextsOf(grantsTexts);
  const { readFirst: _readFirst, ...query } = usersQuery;
  const { data } = useInfiniteQuery({ ...query, enabled: useMayInAccount("account:users:list") });
  const names = (data?.pages ?? [])
    .flatMap((page) => page.data)
    .filter(
      ({ grants, disabled_at: at }) => at === null && grants.some(({ role }) => role === "owner"),
    )
    .map(({ name }) => plainText(name, 60));
  if (names.length === 0) return tables.forbiddenAsk;
  return texts.askNamed(names.slice(0, MOST_NAMED), names.length > MOST_NAMED);
}
