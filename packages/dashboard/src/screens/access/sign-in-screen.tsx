import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";
import { Button } from "react-aria-components/Button";
import { Form } from "react-aria-components/Form";
import { callApi, setCsrfToken } from "../../data/api.ts";
import { useSignInState } from "../../data/me.ts";
import { queryClient } from "../../data/query-client.ts";
import { linkTokenOfPage } from "../../data/session-start.ts";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { TextInput } from "../../parts/text-input.tsx";
import { useAddress } from "../../parts/use-address.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { AccessCard } from "./access-card.tsx";
import { useLink } from "./use-link.ts";

/** E-mail address and password; then the page that was asked for. */
export function SignInScreen() {
  const { shell: texts } = useTexts();
  const navigate = useNavigate();
  const { words } = useAddress();
  const state = useSignInState();
  const signIn = useMutation({
    mutationFn: async (form: FormData) =>
      await callApi("signInByPassword", {
        body: { email: String(form.get("email")), password: String(form.get("password")) },
      }),
    onSuccess: async ({ data }) => {
      queryClient.clear();
      setCsrfToken(data.csrf_token);
      await navigate({ href: pathOf(words["to"]), replace: true });
    },
  });
  if (linkTokenOfPage() !== undefined) return <SignInByLink />;
  if (state.data?.setup_needed === true) return <NoOwner />;
  return (
    <AccessCard title={texts.signInTitle}>
      {signIn.isError && <FaultBanner error={signIn.error} />}
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          signIn.mutate(new FormData(event.currentTarget));
        }}
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
        <Button className="button primary" type="submit" isPending={signIn.isPending}>
          {signIn.isPending ? texts.signingIn : texts.signIn}
        </Button>
      </Form>
      <p className="soft">{texts.forgotten}</p>
    </AccessCard>
  );
}

/** The link of `jackfield open` signs in by itself. */
function SignInByLink() {
  const { shell: texts } = useTexts();
  const { mutate, error } = useLink();
  useEffect(() => mutate(undefined), [mutate]);
  return (
    <AccessCard title={texts.signInTitle}>
      {error === null ? <p role="status">{texts.signingIn}</p> : <FaultBanner error={error} />}
    </AccessCard>
  );
}

function NoOwner() {
  const { shell: texts } = useTexts();
  return (
    <AccessCard title={texts.noOwner}>
      <p>{texts.noOwnerText}</p>
      <pre className="code">npx jackfield setup-link</pre>
    </AccessCard>
  );
}

/** Only a path of the dashboard itself: an address elsewhere would make the sign-in page a way out of it. */
function pathOf(asked: string | undefined): string {
  return asked !== undefined && /^\/(?![/\\])/.test(asked) ? asked : "/";
}
