import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Button } from "react-aria-components/Button";
import { Form } from "react-aria-components/Form";
import { ApiError, callApi, setCsrfToken } from "../../data/api.ts";
import { queryClient } from "../../data/query-client.ts";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { forgetLinkToken, linkTokenOfPage } from "../../start/link-token.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { AccessCard } from "./access-card.tsx";

/** The first owner of an installation, by the link that the server printed. */
export function SetupScreen() {
  const { shell: texts } = useTexts();
  const navigate = useNavigate();
  const token = linkTokenOfPage();
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
  if (token === undefined) {
    return (
      <AccessCard title={texts.setupTitle}>
        <p>{texts.setupNoToken}</p>
        <p>{texts.noOwnerText}</p>
        <pre className="code">npx jackfield setup-link</pre>
      </AccessCard>
    );
  }
  const faultOf = (field: string) => findFault(setUp.error, field);
  return (
    <AccessCard title={texts.setupTitle}>
      <p className="soft">{texts.setupText}</p>
      {setUp.isError && <FaultBanner error={setUp.error} />}
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          setUp.mutate(new FormData(event.currentTarget));
        }}
      >
        <TextInput
          autoFocus
          label={texts.email}
          name="email"
          type="email"
          autoComplete="username"
          fault={faultOf("email")}
        />
        <TextInput
          label={texts.password}
          name="password"
          type="password"
          autoComplete="new-password"
          help={texts.passwordRule}
          fault={faultOf("password")}
        />
        <Button className="button primary" type="submit" isPending={setUp.isPending}>
          {texts.setUp}
        </Button>
      </Form>
    </AccessCard>
  );
}

function findFault(error: unknown, field: string): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.details.find(({ path }) => path?.at(-1) === field)?.message;
}
