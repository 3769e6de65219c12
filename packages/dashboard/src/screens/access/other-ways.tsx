import { useMutation } from "@tanstack/react-query";
import { Button } from "react-aria-components/Button";
import { type AnswerOf, addressOf, callApi } from "../../data/api.ts";
import { hasPasskeys, isDeclined, signWithPasskey } from "../../data/people/passkeys.ts";
import { plainText } from "../../parts/formats.ts";
import { FaultBanner } from "../../parts/panels/fault-banner.tsx";
import { apiAddress } from "../../start/base-path.ts";
import { useTexts } from "../../texts/use-texts.ts";

type Started = AnswerOf<"signInByPasskey">["data"];

/** Ways to sign in without a password. */
export function OtherWays({
  ways,
  onSignedIn,
}: {
  ways: AnswerOf<"getSignInState">["data"]["ways"];
  onSignedIn: (session: Started) => Promise<void>;
}) {
  const { people: texts } = useTexts();
  const signIn = useMutation({
    mutationFn: async () => {
      const passkey = Object(await signWithPasskey());
      return (await callApi("signInByPasskey", { body: { passkey } })).data;
    },
    onSuccess: onSignedIn,
  });
  return (
    <>
      {signIn.isError && !isDeclined(signIn.error) && <FaultBanner error={signIn.error} />}
      {ways.passkey && hasPasskeys() && (
        <Button className="button" isPending={signIn.isPending} onPress={() => signIn.mutate()}>
          {texts.signInWithPasskey}
        </Button>
      )}
      {ways.sso.map(({ id, name }) => (
        <a
          key={id}
          className="button"
          href={`${apiAddress}${addressOf("beginSingleSignOn", { params: { id } }).path}`}
        >
          {texts.signInWith(plainText(name, 60))}
        </a>
      ))}
    </>
  );
}
