import { useEffect, useState } from "react";
import { ApiError } from "../../data/api.ts";
import { useTexts } from "../../texts/use-texts.ts";
import { TextInput } from "./text-input.tsx";

/** Whether a password was right and a code has to come with it. */
export function needsCode(error: unknown): boolean {
  return error instanceof ApiError && error.code === "second_factor_required";
}

/** The field for a code of the authenticator app, from when the server has asked for one. */
export function SecondFactorInput({ error }: { error: unknown }) {
  const { people: texts } = useTexts();
  const [isAsked, setAsked] = useState(false);
  const isNeeded = needsCode(error);
  useEffect(() => {
    if (isNeeded) setAsked(true);
  }, [isNeeded]);
  if (!isAsked) return null;
  return (
    <TextInput
      autoFocus
      label={texts.code}
      name="code"
      autoComplete="one-time-code"
      help={texts.codeHelp}
    />
  );
}

/** What a form with such a field sends of it. */
export function codeOf(form: FormData): { readonly code?: string } {
  const code = String(form.get("code") ?? "").trim();
  return code === "" ? {} : { code };
}
