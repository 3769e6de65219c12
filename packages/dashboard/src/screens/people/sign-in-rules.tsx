import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { Checkbox } from "react-aria-components/Checkbox";
import { CheckboxGroup } from "react-aria-components/CheckboxGroup";
import { Label } from "react-aria-components/Label";
import { callApi } from "../../data/api.ts";
import { meQuery, useMe } from "../../data/me.ts";
import {
  allUsersQuery,
  type Grant,
  signInRulesQuery,
  type User,
} from "../../data/people/people.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatNumber, plainText } from "../../parts/formats.ts";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { SkeletonCard } from "../../parts/panels/skeleton.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useMayInAccount } from "../../shell/use-account.ts";
import { signInRulesTexts } from "../../texts/people/sign-in-rules.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { roles } from "./grants-input.tsx";

type Role = Grant["role"];

/** So many names are listed; the others are counted. */
const NAMES = 10;

/** For which roles a password needs a second factor, and the button that changes it. */
export function SignInRules() {
  const texts = useTextsOf(signInRulesTexts);
  const { people } = useTexts();
  const may = useMayInAccount("account:sso:read");
  const query = useQuery({ ...signInRulesQuery, enabled: may });
  if (!may) return null;
  const asked = query.data?.second_factor_roles;
  return (
    <>
      {query.isError && <FaultBanner error={query.error} onRetry={() => void query.refetch()} />}
      <div className="row above-list">
        <p className="soft">
          {asked !== undefined &&
            (asked.length === 0
              ? texts.everyone
              : texts.needed(asked.map((role) => people.roleNames[role]).join(", ")))}
        </p>
        <DialogButton label={texts.open} scope="account:sso:write" isDisabled={asked === undefined}>
          {(close) => <RulesForm asked={asked ?? []} onSaved={close} />}
        </DialogButton>
      </div>
    </>
  );
}

function RulesForm({ asked, onSaved }: { asked: readonly Role[]; onSaved: () => void }) {
  const texts = useTextsOf(signInRulesTexts);
  const { people } = useTexts();
  const [chosen, setChosen] = useState<readonly Role[]>(asked);
  const save = useMutation({
    mutationFn: async () =>
      await callApi("setSignInRules", { body: { second_factor_roles: [...chosen] } }),
    onSuccess: async ({ data }) => {
      queryClient.setQueryData(signInRulesQuery.queryKey, data);
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
      onSaved();
    },
  });
  return (
    <>
      <p>{texts.text}</p>
      {save.isError && <FaultBanner error={save.error} />}
      <CheckboxGroup
        className="choices"
        value={[...chosen]}
        onChange={(names) => setChosen(roles.filter((role) => names.includes(role)))}
      >
        <Label className="label">{texts.roles}</Label>
        <div className="row">
          {roles.map((role) => (
            <Checkbox key={role} className="choice" value={role}>
              {people.roleNames[role]}
            </Checkbox>
          ))}
        </div>
      </CheckboxGroup>
      {chosen.length > 0 && <Affected chosen={chosen} />}
      <div className="row">
        <ScopedButton
          scope="account:sso:write"
          look="primary"
          isPending={save.isPending}
          reason={chosen.join() === asked.join() ? texts.same : undefined}
          onPress={() => save.mutate()}
        >
          {texts.save}
        </ScopedButton>
      </div>
    </>
  );
}

/** Who would then have to add a second factor first. */
function Affected({ chosen }: { chosen: readonly Role[] }) {
  const texts = useTextsOf(signInRulesTexts);
  const me = useMe();
  const query = useQuery(allUsersQuery);
  if (query.isError) {
    return <FaultBanner error={query.error} onRetry={() => void query.refetch()} />;
  }
  if (query.data === undefined) return <SkeletonCard />;
  const lacking = query.data.filter((user) => lacksSecondFactor(user, chosen));
  if (lacking.length === 0) return <p role="status">{texts.nobody}</p>;
  return (
    <div role="status" className="stack">
      <p>{texts.lacking(formatNumber(lacking.length))}</p>
      <ul className="plain-list">
        {lacking.slice(0, NAMES).map(({ id, name, email }) => (
          <li key={id}>
            {plainText(name, 80)} · {plainText(email, 80)}
          </li>
        ))}
        {lacking.length > NAMES && <li>{texts.more(formatNumber(lacking.length - NAMES))}</li>}
      </ul>
      <p>{texts.held}</p>
      {lacking.some(({ id }) => id === me.user.id) && (
        <p className="banner bad">{texts.heldSelf}</p>
      )}
      <p className="soft">{texts.risk}</p>
    </div>
  );
}

/** Whether a password alone is all that somebody with one of these roles can sign in with. */
function lacksSecondFactor(user: User, asked: readonly Role[]): boolean {
  return (
    user.disabled_at === null &&
    !user.has_totp &&
    user.ways.length > 0 &&
    user.ways.every((way) => way === "password") &&
    user.grants.some(({ role }) => asked.includes(role))
  );
}
