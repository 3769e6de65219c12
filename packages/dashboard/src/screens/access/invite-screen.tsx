import { Button } from "react-aria-components/Button";
import { Form } from "react-aria-components/Form";
import { ApiError } from "../../data/api.ts";
import { codeOf, needsCode, SecondFactorInput } from "../../parts/forms/second-factor-input.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { linkTokenOfPage } from "../../start/link-token.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { AccessCard } from "./access-card.tsx";
import { useLink } from "./use-link.ts";

/** An invitation, or a reset: the person chooses a password, and has signed in. */
export function InviteScreen() {
  const { shell: texts } = useTexts();
  const join = useLink();
  if (linkTokenOfPage() === undefined) {
    return (
      <AccessCard title={texts.inviteTitle}>
        <p>{texts.inviteNoToken}</p>
      </AccessCard>
    );
  }
  return (
    <AccessCard title={texts.inviteTitle}>
      {join.isError && !needsCode(join.error) && <FaultBanner error={join.error} />}
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          join.mutate({ password: String(form.get("password")), ...codeOf(form) });
        }}
      >
        <TextInput
          autoFocus
          label={texts.password}
          name="password"
          type="password"
          autoComplete="new-password"
          help={texts.passwordRule}
          fault={passwordFault(join.error)}
        />
        <SecondFactorInput error={join.error} />
        <Button className="button primary" type="submit" isPending={join.isPending}>
          {texts.join}
        </Button>
      </Form>
    </AccessCard>
  );
}

function passwordFault(error: unknown): string | undefined {
  if (!(error instanceof ApiError)) return undefined;
  return error.details.find(({ path }) => path?.at(-1) === "password")?.message;
}
