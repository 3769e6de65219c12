import { Button } from "react-aria-components/Button";
import { Checkbox } from "react-aria-components/Checkbox";
import { useMe } from "../../data/me.ts";
import type { Grant } from "../../data/people/people.ts";
import { ChoiceInput } from "../../parts/forms/choice-input.tsx";
import { choicesOf } from "../../parts/list/word-filters.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { placeOf, withPlace, withRole } from "./grant-words.ts";

const newGrant: Grant = { role: "support", environments: "all" };

/** Rights as rows of a role and where it holds. */
export function GrantsInput({
  grants,
  hasOwner,
  least = 1,
  onChange,
}: {
  grants: readonly Grant[];
  /** Whether owners may be made, which only owners do by hand. */
  hasOwner: boolean;
  least?: 0 | 1;
  onChange: (grants: readonly Grant[]) => void;
}) {
  const { people: texts } = useTexts();
  const change = (place: number, grant: Grant) =>
    onChange(grants.map((each, at) => (at === place ? grant : each)));
  return (
    <div className="stack">
      {grants.map((grant, place) => (
        <fieldset
          className="grant"
          // biome-ignore lint/suspicious/noArrayIndexKey: a right has no other name
          key={place}
          aria-label={texts.rightsOf(String(place + 1))}
        >
          <GrantInput grant={grant} hasOwner={hasOwner} onChange={(next) => change(place, next)} />
          <Button
            className="button small"
            isDisabled={grants.length <= least}
            aria-label={texts.removeRight}
            onPress={() => onChange(grants.filter((_, at) => at !== place))}
          >
            ✕
          </Button>
        </fieldset>
      ))}
      <div className="row">
        <Button className="button small" onPress={() => onChange([...grants, newGrant])}>
          {texts.addRight}
        </Button>
      </div>
    </div>
  );
}

export function GrantInput({
  grant,
  hasOwner,
  onChange,
}: {
  grant: Grant;
  hasOwner: boolean;
  onChange: (grant: Grant) => void;
}) {
  const { people: texts } = useTexts();
  const { environments } = useMe();
  const isWide = grant.role === "owner" || grant.role === "admin";
  const places = [
    { id: "all", text: texts.everywhere },
    { id: "non-production", text: texts.nonProduction },
    ...environments.map(({ id, name }) => ({ id, text: name })),
  ];
  return (
    <>
      <ChoiceInput
        label={texts.role}
        value={grant.role}
        help={texts.roleTexts[grant.role]}
        choices={choicesOf(texts.roleNames).filter(({ id }) => hasOwner || id !== "owner")}
        onChange={(role) => onChange(withRole(grant, roleOf(role)))}
      />
      <ChoiceInput
        label={texts.where}
        value={placeOf(grant)}
        choices={places}
        isDisabled={isWide}
        onChange={(place) => onChange(withPlace(grant, place))}
      />
      {grant.role === "developer" && (
        <Checkbox
          className="check"
          isSelected={grant.runs_code === true}
          onChange={(isSelected) => onChange({ ...grant, runs_code: isSelected })}
        >
          <span className="box" aria-hidden="true" />
          {texts.runsCode}
        </Checkbox>
      )}
    </>
  );
}

export const roles: readonly Grant["role"][] = [
  "owner",
  "admin",
  "developer",
  "support",
  "read-only",
];

function roleOf(word: string): Grant["role"] {
  return roles.find((role) => role === word) ?? "read-only";
}
