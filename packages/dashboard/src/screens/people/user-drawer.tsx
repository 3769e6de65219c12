import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import { useMe } from "../../data/me.ts";
import type { Grant, User } from "../../data/people/people.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatDay, plainText } from "../../parts/formats.ts";
import { Card } from "../../parts/panels/card.tsx";
import { curlOf, nodeCall } from "../../parts/panels/code-panel.tsx";
import { ConfirmButton } from "../../parts/panels/confirm-button.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { Drawer } from "../../parts/panels/drawer.tsx";
import { Facts } from "../../parts/panels/facts.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { ScopedButton } from "../../parts/scoped-button.tsx";
import { useMayInAccount } from "../../shell/use-account.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { describeGrant } from "./grant-words.ts";
import { GrantsInput } from "./grants-input.tsx";
import { LinkOnce } from "./link-once.tsx";

async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ["users"] });
}

function useChange({ id }: User) {
  return useMutation({
    mutationFn: async (body: { grants?: Grant[]; disabled?: boolean }) =>
      await callApi("updateUser", { params: { id }, body }),
    onSuccess: readAgain,
  });
}

/** One person next to the list: what they may do, and how they sign in. */
export function UserDrawer({
  user,
  onClose,
  onStep,
}: {
  user: User;
  onClose: () => void;
  onStep: (by: 1 | -1) => void;
}) {
  const { people: texts } = useTexts();
  const me = useMe();
  const isSelf = user.id === me.user.id;
  return (
    <Drawer title={plainText(user.name, 60)} onClose={onClose} onStep={onStep}>
      <Card title={texts.about}>
        <Facts
          rows={[
            [texts.email, plainText(user.email)],
            [texts.ways, user.ways.map((way) => texts.wayNames[way]).join(", ") || texts.noWay],
            [texts.added, formatDay(user.created_at)],
            [
              texts.lastSignIn,
              user.last_sign_in_at === null ? texts.never : formatDay(user.last_sign_in_at),
            ],
            [texts.disabled, user.disabled_at && formatDay(user.disabled_at)],
          ]}
        />
      </Card>
      <Rights key={JSON.stringify(user.grants)} user={user} isSelf={isSelf} />
      {!isSelf && <Actions user={user} onRemoved={onClose} />}
    </Drawer>
  );
}

function Rights({ user, isSelf }: { user: User; isSelf: boolean }) {
  const { people: texts } = useTexts();
  const me = useMe();
  const may = useMayInAccount("account:users:update");
  const [grants, setGrants] = useState<readonly Grant[]>(user.grants);
  const change = useChange(user);
  if (isSelf || !may) {
    return (
      <Card title={texts.rights}>
        <ul className="rows">
          {user.grants.map((grant) => (
            <li key={describeGrant(grant, me, texts)}>{describeGrant(grant, me, texts)}</li>
          ))}
        </ul>
      </Card>
    );
  }
  return (
    <Card title={texts.rights}>
      <div className="stack padded">
        {change.isError && <FaultBanner error={change.error} />}
        <GrantsInput
          grants={grants}
          hasOwner={me.account_scopes.includes("account:*")}
          onChange={setGrants}
        />
        <div className="row">
          <Button
            className="button primary"
            isDisabled={JSON.stringify(grants) === JSON.stringify(user.grants)}
            isPending={change.isPending}
            onPress={() => change.mutate({ grants: [...grants] })}
          >
            {texts.saveRights}
          </Button>
          <span role="status">{change.isSuccess ? texts.saved : ""}</span>
        </div>
      </div>
    </Card>
  );
}

function Actions({ user, onRemoved }: { user: User; onRemoved: () => void }) {
  const { people: texts } = useTexts();
  const change = useChange(user);
  const removeTotp = useMutation({
    mutationFn: async () => await callApi("deleteUserTotp", { params: { id: user.id } }),
    onSuccess: readAgain,
  });
  const isDisabled = user.disabled_at !== null;
  return (
    <div className="stack padded">
      {(change.isError || removeTotp.isError) && (
        <FaultBanner error={change.error ?? removeTotp.error} />
      )}
      <div className="row">
        <DialogButton label={texts.resetLink} scope="account:users:update">
          {() => <ResetLink user={user} />}
        </DialogButton>
        <ScopedButton
          scope="account:users:update"
          isPending={change.isPending}
          onPress={() => change.mutate({ disabled: !isDisabled })}
        >
          {isDisabled ? texts.enable : texts.disable}
        </ScopedButton>
        {user.has_totp && (
          <ScopedButton
            scope="account:users:update"
            isPending={removeTotp.isPending}
            onPress={() => removeTotp.mutate()}
          >
            {texts.removeUserTotp}
          </ScopedButton>
        )}
        <ConfirmButton
          label={texts.remove}
          scope="account:users:delete"
          title={texts.removeNamed(plainText(user.name, 80))}
          text={texts.removeText(plainText(user.name, 80))}
          confirm={texts.removeNamed(plainText(user.name, 80))}
          code={[
            curlOf("deleteUser", "account", { params: { id: user.id } }),
            nodeCall("account", "users.delete", user.id),
          ]}
          onConfirm={async () => {
            await callApi("deleteUser", { params: { id: user.id } });
            onRemoved();
            await readAgain();
          }}
        />
      </div>
      {!isDisabled && <p className="soft">{texts.disableText}</p>}
    </div>
  );
}

function ResetLink({ user }: { user: User }) {
  const { people: texts } = useTexts();
  const make = useMutation({
    mutationFn: async () => (await callApi("createUserLink", { params: { id: user.id } })).data,
  });
  if (make.data !== undefined) return <LinkOnce name={user.name} link={make.data} />;
  return (
    <>
      <p>{texts.resetText}</p>
      {make.isError && <FaultBanner error={make.error} />}
      <div className="row">
        <Button className="button primary" isPending={make.isPending} onPress={() => make.mutate()}>
          {texts.resetLink}
        </Button>
      </div>
    </>
  );
}
