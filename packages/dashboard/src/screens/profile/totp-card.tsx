import { useMutation } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { Form } from "react-aria-components/Form";
import { callApi } from "../../data/api.ts";
import { meQuery, useMe } from "../../data/me.ts";
import { queryClient } from "../../data/query-client.ts";
import { formatDay, formatNumber } from "../../parts/formats.ts";
import { SecretOnce } from "../../parts/forms/secret-once.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { Card } from "../../parts/panels/card.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useTexts } from "../../texts/use-texts.ts";

async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
}

/** An authenticator app, whose codes are needed after the password. */
export function TotpCard() {
  const { people: texts } = useTexts();
  const { second_factor: factor } = useMe();
  const begin = useMutation({ mutationFn: async () => (await callApi("beginTotp")).data });
  const confirm = useMutation({
    mutationFn: async (code: string) =>
      (await callApi("confirmTotp", { body: { code } })).data.recovery_codes,
    onSuccess: readAgain,
  });
  const replace = useMutation({
    mutationFn: async () => (await callApi("replaceRecoveryCodes")).data.recovery_codes,
    onSuccess: readAgain,
  });
  const remove = useMutation({
    mutationFn: async () => await callApi("deleteTotp"),
    onSuccess: async () => {
      confirm.reset();
      replace.reset();
      begin.reset();
      await readAgain();
    },
  });
  const failed = [begin, confirm, replace, remove].find(({ isError }) => isError);
  const codes = replace.data ?? confirm.data;
  return (
    <Card title={texts.totp}>
      <div className="stack padded">
        <p className="soft">{texts.totpText}</p>
        {failed !== undefined && <FaultBanner error={failed.error} />}
        {codes !== undefined && (
          <>
            <p>{texts.recoveryText}</p>
            <SecretOnce label={texts.recoveryCodes} secret={codes.join("\n")} />
          </>
        )}
        {factor.totp_since === null ? (
          <Setup begin={begin} onConfirm={confirm.mutate} isPending={confirm.isPending} />
        ) : (
          <>
            <p>
              {texts.totpSince(formatDay(factor.totp_since))}{" "}
              {texts.codesLeft(formatNumber(factor.recovery_codes_left))}
            </p>
            <div className="row">
              <Button
                className="button"
                isPending={replace.isPending}
                onPress={() => replace.mutate()}
              >
                {texts.newCodes}
              </Button>
              <Button
                className="button danger"
                isPending={remove.isPending}
                onPress={() => remove.mutate()}
              >
                {texts.removeTotp}
              </Button>
            </div>
          </>
        )}
      </div>
    </Card>
  );
}

function Setup({
  begin,
  onConfirm,
  isPending,
}: {
  begin: {
    readonly data: { readonly secret: string; readonly uri: string } | undefined;
    readonly isPending: boolean;
    readonly mutate: () => void;
  };
  onConfirm: (code: string) => void;
  isPending: boolean;
}) {
  const { people: texts } = useTexts();
  if (begin.data === undefined) {
    return (
      <div className="row">
        <Button className="button" isPending={begin.isPending} onPress={() => begin.mutate()}>
          {texts.addTotp}
        </Button>
      </div>
    );
  }
  const { secret, uri } = begin.data;
  return (
    <>
      <p>
        {texts.totpSteps} <a href={uri}>{texts.openApp}</a>
      </p>
      <SecretOnce label={texts.totpSecret} secret={secret} />
      <Form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm(String(new FormData(event.currentTarget).get("totp")));
        }}
      >
        <TextInput label={texts.codeOfApp} name="totp" autoComplete="one-time-code" isNumber />
        <div className="row">
          <Button className="button primary" type="submit" isPending={isPending}>
            {texts.confirmTotp}
          </Button>
        </div>
      </Form>
    </>
  );
}
