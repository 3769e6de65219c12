import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { Button } from "react-aria-components/Button";
import { Form } from "react-aria-components/Form";
import { ApiError, callApi, setCsrfToken } from "../../data/api.ts";
import { useSignInState } from "../../data/me.ts";
import { queryClient } from "../../data/query-client.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { codeOf, needsCode, SecondFactorInput } from "../../parts/forms/second-factor-input.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { type SearchWords, useAddress } from "../../parts/use-address.ts";
import { linkTokenOfPage } from "../../start/link-token.ts";
import { accessTexts } from "../../texts/screens/access.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { AccessCard } from "./access-card.tsx";
import { isDeadLink, NewSetupLink, ToSignIn } from "./dead-link.tsx";
import { OtherWays } from "./other-ways.tsx";
import { useLink } from "./use-link.ts";

/** E-mail address and password; then the page that was asked for. */
export function SignInScreen() {
  const { shell: texts } = useTexts();
  const navigate = useNavigate();
  const { words } = useAddress();
  const state = useSignInState();
  const [isByLink, setByLink] = useState(linkTokenOfPage() !== undefined);
  const enter = async ({ csrf_token: token }: { csrf_token: string }) => {
    queryClient.clear();
    setCsrfToken(token);
    await navigate({ href: pathOf(words["to"]), replace: true });
  };
  const signIn = useMutation({
    mutationFn: async (form: FormData) => {
      const body = {
        email: String(form.get("email")),
        password: String(form.get("password")),
        ...codeOf(form),
      };
      return (await callApi("signInByPassword", { body })).data;
    },
    onSuccess: enter,
  });
  if (isByLink) return <SignInByLink onOther={() => setByLink(false)} />;
  const refused = signIn.isIdle ? refusalOf(words) : undefined;
  if (state.data?.setup_needed === true) return <NoOwner />;
  return (
    <AccessCard title={texts.signInTitle}>
      {refused !== undefined && <FaultBanner error={refused} />}
      {state.isError && signIn.isIdle && (
        <FaultBanner error={state.error} onRetry={() => void state.refetch()} />
      )}
      <ApiForm
        className=""
        error={needsCode(signIn.error) ? null : signIn.error}
        onSend={(form) => signIn.mutate(form)}
      >
        <TextInput
          autoFocus
          label={texts.email}
          name="email"
          type="email"
          autoComplete="username"
        />
        <TextInput
          label={texts.password}
          name="password"
          type="password"
          autoComplete="current-password"
        />
        <SecondFactorInput error={signIn.error} />
        <Button className="button primary" type="submit" isPending={signIn.isPending}>
          {signIn.isPending ? texts.signingIn : texts.signIn}
        </Button>
      </ApiForm>
      {state.data !== undefined && <OtherWays ways={state.data.ways} onSignedIn={enter} />}
      <p className="soft">{texts.forgotten}</p>
    </AccessCard>
  );
}

/** The link of `jackfield open` signs in by itself. */
function SignInByLink({ onOther }: { onOther: () => void }) {
  const { shell: texts } = useTexts();
  const { newSignIn } = useTextsOf(accessTexts);
  const { mutate, error } = useLink();
  useEffect(() => mutate({}), [mutate]);
  if (isDeadLink(error)) {
    return (
      <AccessCard title={texts.signInTitle}>
        <FaultBanner error={error} />
        <p>{newSignIn}</p>
        <ToSignIn onGo={onOther} />
      </AccessCard>
    );
  }
  return (
    <AccessCard title={texts.signInTitle}>
      {error === null && <p role="status">{texts.signingIn}</p>}
      {error !== null && !needsCode(error) && <FaultBanner error={error} />}
      {error !== null && (
        <Form
          onSubmit={(event) => {
            event.preventDefault();
            mutate(codeOf(new FormData(event.currentTarget)));
          }}
        >
          <SecondFactorInput error={error} />
          <Button className="button primary" type="submit">
            {texts.signIn}
          </Button>
        </Form>
      )}
    </AccessCard>
  );
}

function NoOwner() {
  const { shell: texts } = useTexts();
  return (
    <AccessCard title={texts.noOwner}>
      <NewSetupLink />
    </AccessCard>
  );
}

/** Why an identity provider's people did not get in, as the address says after they came back. */
function refusalOf({ error, message }: SearchWords): ApiError | undefined {
  if (error === undefined || message === undefined) return undefined;
  return new ApiError({ code: error, message, status: 401 });
}

/** Only a path of the dashboard itself: an address elsewhere would let a link to the sign-in page lead there. */
function pathOf(asked: string | undefined): string {
  return asked !== undefined && /^\/(?![/\\])/.test(asked) ? asked : "/";
}
