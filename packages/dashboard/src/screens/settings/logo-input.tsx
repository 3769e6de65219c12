import { useId, useState } from "react";
import { useTexts } from "../../texts/use-texts.ts";
import { LogoPreview } from "./logo-preview.tsx";

/** What the API takes, in characters of the `data:` URL. */
const MOST = 20_000;

/** An image from the person's computer, as a `data:` URL. */
export function LogoInput({
  logo,
  onChange,
}: {
  logo: string | null;
  onChange: (logo: string | null) => void;
}) {
  const { settings: texts } = useTexts();
  const id = useId();
  const [isTooLarge, setTooLarge] = useState(false);

  function choose(file: File | undefined): void {
    if (file === undefined) return;
    const reader = new FileReader();
    reader.addEventListener("load", () => {
      const url = String(reader.result);
      setTooLarge(url.length > MOST);
      if (url.length <= MOST) onChange(url);
    });
    reader.readAsDataURL(file);
  }

  return (
    <div className="text-field">
      <label className="label" htmlFor={id}>
        {texts.appLogo}
      </label>
      <div className="row">
        {logo !== null && <LogoPreview logo={logo} />}
        <input
          id={id}
          type="file"
          accept="image/png,image/jpeg,image/webp"
          aria-describedby={`${id}-help`}
          aria-invalid={isTooLarge}
          onChange={(event) => choose(event.target.files?.[0])}
        />
        {logo !== null && (
          <button type="button" className="button" onClick={() => onChange(null)}>
            {texts.removeLogo}
          </button>
        )}
      </div>
      <span className="help" id={`${id}-help`}>
        {texts.appLogoHelp}
      </span>
      {isTooLarge && (
        <span className="fault" role="alert">
          {texts.logoTooLarge}
        </span>
      )}
    </div>
  );
}
