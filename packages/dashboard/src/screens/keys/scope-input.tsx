import { Checkbox } from "react-aria-components/Checkbox";
import { CheckboxGroup } from "react-aria-components/CheckboxGroup";
import { Label } from "react-aria-components/Label";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import {
  expandScopes,
  type ProfileName,
  profilesOf,
  scopeGroups,
  shortNameOf,
} from "./key-scopes.ts";

export interface ChosenScopes {
  readonly profile: ProfileName;
  readonly scopes: readonly string[];
}

/** What a key may do: a profile, or scopes one by one. */
export function ScopeInput({
  isAccount,
  chosen,
  onChange,
}: {
  isAccount: boolean;
  chosen: ChosenScopes;
  onChange: (chosen: ChosenScopes) => void;
}) {
  const { keys: texts } = useTexts();
  const profiles = profilesOf(isAccount);
  const names: readonly ProfileName[] = [...profiles.map(({ name }) => name), "custom"];
  return (
    <>
      <ChoiceInput
        label={texts.profile}
        value={chosen.profile}
        choices={names.map((name) => ({ id: name, text: texts.profiles[name] }))}
        onChange={(value) => {
          const profile = profiles.find(({ name }) => name === value);
          const scopes = profile?.scopes ?? expandScopes(chosen.scopes);
          onChange({ profile: profile?.name ?? "custom", scopes });
        }}
      />
      {chosen.profile === "custom" ? (
        <CustomScopes isAccount={isAccount} chosen={chosen.scopes} onChange={onChange} />
      ) : (
        <p className="mono soft">{chosen.scopes.join(" ")}</p>
      )}
      {chosen.scopes.length === 0 && <p className="fault">{texts.noScopes}</p>}
    </>
  );
}

function CustomScopes({
  isAccount,
  chosen,
  onChange,
}: {
  isAccount: boolean;
  chosen: readonly string[];
  onChange: (chosen: ChosenScopes) => void;
}) {
  return (
    <div className="scope-groups">
      {scopeGroups(isAccount).map(({ name, scopes }) => (
        <CheckboxGroup
          key={name}
          className="choices"
          value={scopes.filter((scope) => chosen.includes(scope))}
          onChange={(value) => {
            const others = chosen.filter((scope) => !scopes.some((own) => own === scope));
            onChange({ profile: "custom", scopes: [...others, ...value] });
          }}
        >
          <Label className="label">{name.replaceAll("_", " ")}</Label>
          {scopes.map((scope) => (
            <Checkbox key={scope} value={scope} className="choice mono">
              {shortNameOf(scope)}
            </Checkbox>
          ))}
        </CheckboxGroup>
      ))}
    </div>
  );
}
