import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Button } from "react-aria-components/Button";
import { callApi, setCsrfToken } from "../../data/api.ts";
import { useSignInState } from "../../data/me.ts";
import { queryClient } from "../../data/query-client.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { forgetLinkToken, linkTokenOfPage } from "../../start/link-token.ts";
import { accessTexts } from "../../texts/screens/access.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { AccessCard } from "./access-card.tsx";
import { isDeadLink, NewSetupLink, ToSignIn } from "./dead-link.tsx";

/** The first owner of an installation, by the link that the server printed. */
export function SetupScreen() {
  const { shell: texts } = useTexts();
  const { hasOwner } = useTextsOf(accessTexts);
  const navigate = useNavigate();
  const token = linkTokenOfPage();
  const state = useSignInState();
  const setUp = useMutation({
    mutationFn: async (form: FormData) =>
      await callApi("claimSetupLink", {
        body: {
          token: token ?? "",
          email: String(form.get("email")),
          password: String(form.get("password")),
        },
      }),
    onSuccess: async ({ data }) => {
      forgetLinkToken();
      queryClient.clear();
      setCsrfToken(data.csrf_token);
      await navigate({ to: "/", replace: true });
    },
  });
  if (state.data?.setup_needed === false && !setUp.isSuccess) {
    return (
      <AccessCard title={texts.setupTitle}>
        <p>{hasOwner}</p>
        <ToSignIn />
      </AccessCard>
    );
  }
  if (token === undefined) {
    return (
      <AccessCard title={texts.setupTitle}>
        <p>{texts.setupNoToken}</p>
        <NewSetupLink />
      </AccessCard>
    );
  }
  return (
    <AccessCard title={texts.setupTitle}>
      <p className="soft">{texts.setupText}</p>
      <ApiForm className="" error={setUp.error} onSend={(form) => setUp.mutate(form)}>
        {isDeadLink(setUp.error) && <NewSetupLink />}
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
          autoComplete="new-password"
          help={texts.passwordRule}
        />
        <Button className="button primary" type="submit" isPending={setUp.isPending}>
          {texts.setUp}
        </Button>
      </ApiForm>
    </AccessCard>
  );
}
