import { useMutation } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { Form } from "react-aria-components/Form";
import { Heading } from "react-aria-components/Heading";
import { callApi, setCsrfToken } from "../../data/api.ts";
import { type Me, meQuery } from "../../data/me.ts";
import { hasPasskeys, isDeclined, signWithPasskey } from "../../data/people/passkeys.ts";
import { queryClient } from "../../data/query-client.ts";
import { codeOf, needsCode, SecondFactorInput } from "../../parts/forms/second-factor-input.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { useTexts } from "../../texts/use-texts.ts";

type Proof = { readonly password: string; readonly code?: string } | { readonly passkey: object };

export interface ProofsProps {
  readonly ways: Me["user"]["ways"];
  readonly onEnd: (proved: boolean) => void;
}

/** Ways in which a person can prove who they are, of those that they have. */
export function Proofs({ ways, onEnd }: ProofsProps) {
  const { people: texts, tables } = useTexts();
  const prove = useMutation({
    mutationFn: async (give: () => Promise<Proof>) =>
      await callApi("elevateSession", { body: Object(await give()) }),
    onSuccess: async ({ data }) => {
      setCsrfToken(data.csrf_token);
      onEnd(true);
      await queryClient.invalidateQueries({ queryKey: meQuery.queryKey });
    },
  });
  const withPasskey = ways.includes("passkey") && hasPasskeys();
  const withPassword = ways.includes("password");
  return (
    <>
      <Heading slot="title">{texts.stepUpTitle}</Heading>
      <p className="soft">{texts.stepUpText}</p>
      {prove.isError && !isDeclined(prove.error) && !needsCode(prove.error) && (
        <FaultBanner error={prove.error} />
      )}
      {!withPasskey && !withPassword && <p>{texts.stepUpBySignIn}</p>}
      {withPasskey && (
        <Button
          className="button primary"
          autoFocus={!withPassword}
          onPress={() => prove.mutate(async () => ({ passkey: await signWithPasskey() }))}
        >
          {texts.usePasskey}
        </Button>
      )}
      {withPassword && (
        <Form
          className="stack"
          onSubmit={(event) => {
            event.preventDefault();
            const form = new FormData(event.currentTarget);
            const proof = { password: String(form.get("password")), ...codeOf(form) };
            prove.mutate(async () => proof);
          }}
        >
          <TextInput
            autoFocus
            label={texts.yourPassword}
            name="password"
            type="password"
            autoComplete="current-password"
          />
          <SecondFactorInput error={prove.error} />
          <div className="row">
            <Button
              className={withPasskey ? "button" : "button primary"}
              type="submit"
              isPending={prove.isPending}
            >
              {texts.prove}
            </Button>
            <Button className="button" onPress={() => onEnd(false)}>
              {tables.close}
            </Button>
          </div>
        </Form>
      )}
    </>
  );
}
