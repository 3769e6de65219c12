import { useMutation, useQuery } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { Form } from "react-aria-components/Form";
import { callApi } from "../../data/api.ts";
import { meQuery, useSignInState } from "../../data/me.ts";
import { addPasskey, hasPasskeys, isDeclined, passkeysQuery } from "../../data/people/passkeys.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatDay, plainText } from "../../parts/formats.ts";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useTexts } from "../../texts/use-texts.ts";

async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: passkeysQuery.queryKey });
  await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
}

/** The person's passkeys: one is added on this device, others are removed. */
export function PasskeysCard() {
  const { people: texts, shell } = useTexts();
  const { data: state } = useSignInState();
  const passkeys = useQuery(passkeysQuery);
  const remove = useMutation({
    mutationFn: async (id: string) => await callApi("deletePasskey", { params: { id } }),
    onSuccess: readAgain,
  });
  const add = useMutation({
    mutationFn: async (name: string) => await addPasskey(name),
    onSuccess: readAgain,
  });
  const failed = [passkeys.error, remove.error, add.error].find(
    (error) => error !== null && !isDeclined(error),
  );
  return (
    <Card title={texts.passkeys}>
      <div className="stack padded">
        <p className="soft">{texts.passkeysText}</p>
        {failed !== undefined && (
          <FaultBanner
            error={failed}
            {...(passkeys.isError ? { onRetry: () => void passkeys.refetch() } : {})}
          />
        )}
        {passkeys.isLoading && <p role="status">{shell.loading}</p>}
        {passkeys.data?.length === 0 && <p>{texts.noPasskeys}</p>}
      </div>
      <ul className="rows">
        {passkeys.data?.map(({ id, name, is_synced: isSynced, last_used_at: usedAt }) => (
          <li key={id}>
            <strong>{plainText(name, 80)}</strong>
            <span className="soft">{isSynced ? texts.synced : texts.onOneDevice}</span>
            <span className="soft">
              {texts.lastUsed}: {usedAt === null ? texts.never : formatDay(usedAt)}
            </span>
            <Button
              className="button small"
              aria-label={texts.removePasskey(plainText(name, 80))}
              onPress={() => remove.mutate(id)}
            >
              {texts.remove}
            </Button>
          </li>
        ))}
      </ul>
      {state?.ways.passkey === true && hasPasskeys() ? (
        <Form
          className="stack padded"
          onSubmit={(event) => {
            event.preventDefault();
            add.mutate(String(new FormData(event.currentTarget).get("passkey-name")));
          }}
        >
          <TextInput
            label={texts.passkeyName}
            name="passkey-name"
            autoComplete="off"
            help={texts.passkeyHelp}
          />
          <div className="row">
            <Button className="button primary" type="submit" isPending={add.isPending}>
              {texts.addPasskey}
            </Button>
          </div>
        </Form>
      ) : (
        <p className="soft padded">{texts.noPasskeyHere}</p>
      )}
    </Card>
  );
}
