import { useNavigate } from "@tanstack/react-router";
import { Button } from "react-aria-components/Button";
import { ApiError } from "../../data/api.ts";
import { forgetLinkToken } from "../../start/link-token.ts";
import { accessTexts } from "../../texts/screens/access.ts";
import { useTexts, useTextsOf } from "../../texts/use-texts.ts";

/** Whether the link that the page was opened with works no longer; sending it again changes nothing. */
export function isDeadLink(error: unknown): boolean {
  return error instanceof ApiError && error.code === "invalid_link";
}

/** How an operator gets another setup link. */
export function NewSetupLink() {
  const { shell: texts } = useTexts();
  return (
    <>
      <p>{texts.noOwnerText}</p>
      <pre className="code">npx jackfield setup-link</pre>
    </>
  );
}

/** The way on where a link leads nowhere. */
export function ToSignIn({ onGo }: { onGo?: () => void }) {
  const texts = useTextsOf(accessTexts);
  const navigate = useNavigate();
  const go = async () => {
    forgetLinkToken();
    onGo?.();
    await navigate({ to: "/sign-in", replace: true });
  };
  return (
    <Button className="button" onPress={() => void go()}>
      {texts.toSignIn}
    </Button>
  );
}
