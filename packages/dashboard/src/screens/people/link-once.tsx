import { formatDay, plainText } from "../../parts/formats.ts";
import { SecretOnce } from "../../parts/forms/secret-once.tsx";
import { useTexts } from "../../texts/use-texts.ts";

/** A link that works once, to be copied to a person. */
export function LinkOnce({
  name,
  link,
}: {
  name: string;
  link: { readonly url: string; readonly expires_at: string };
}) {
  const { people: texts } = useTexts();
  return (
    <>
      <p>{texts.linkText(formatDay(link.expires_at))}</p>
      <SecretOnce label={texts.linkTitle(plainText(name, 80))} secret={link.url} />
    </>
  );
}
