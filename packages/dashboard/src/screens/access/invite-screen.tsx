import { Button } from "react-aria-components/Button";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { codeOf, needsCode, SecondFactorInput } from "../../parts/forms/second-factor-input.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { linkTokenOfPage } from "../../start/link-token.ts";
import { accessTexts } from "../../texts/screens/access.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";
import { AccessCard } from "./access-card.tsx";
import { isDeadLink, ToSignIn } from "./dead-link.tsx";
import { useLink } from "./use-link.ts";

/** An invitation, or a reset: the person chooses a password, and has signed in. */
export function InviteScreen() {
  const { shell: texts } = useTexts();
  const { newInvite } = useTextsOf(accessTexts);
  const join = useLink();
  if (linkTokenOfPage() === undefined) {
    return (
      <AccessCard title={texts.inviteTitle}>
        <p>{texts.inviteNoToken}</p>
        <p>{newInvite}</p>
        <ToSignIn />
      </AccessCard>
    );
  }
  if (isDeadLink(join.error)) {
    return (
      <AccessCard title={texts.inviteTitle}>
        <FaultBanner error={join.error} />
        <p>{newInvite}</p>
        <ToSignIn />
      </AccessCard>
    );
  }
  return (
    <AccessCard title={texts.inviteTitle}>
      <ApiForm
        className=""
        error={needsCode(join.error) ? null : join.error}
        onSend={(form) => join.mutate({ password: String(form.get("password")), ...codeOf(form) })}
      >
        <TextInput
          autoFocus
          label={texts.password}
          name="password"
          type="password"
          autoComplete="new-password"
          help={texts.passwordRule}
        />
        <SecondFactorInput error={join.error} />
        <Button className="button primary" type="submit" isPending={join.isPending}>
          {texts.join}
        </Button>
      </ApiForm>
    </AccessCard>
  );
}
