import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { Input } from "react-aria-components/Input";
import { Label } from "react-aria-components/Label";
import { TextField } from "react-aria-components/TextField";
import { callApi } from "../../data/api.ts";
import { type Grant, type SingleSignOn, singleSignOnQuery } from "../../data/people/people.ts";
import { queryClient } from "../../data/query-client.ts";
import { LinesInput, linesOf } from "../../parts/forms/lines-input.tsx";
import { SaveForm } from "../../parts/forms/save-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { isOn, ToggleInput } from "../../parts/forms/toggle-input.tsx";
import { ssoTexts } from "../../texts/screens/sso.ts";
import { useTextsOf } from "../../texts/use-texts.ts";
import { GrantInput, GrantsInput } from "../people/grants-input.tsx";

/** Where the values of the fields are in the call. */
const valuePaths = {
  secret: "client_secret",
  client: "client_id",
  claim: "group_claim",
  adds: "adds_users",
  domains: "allowed_domains",
  required: "is_required",
};

/** A right of a group; a group with several has several of these. */
interface GroupGrant {
  readonly group: string;
  readonly grant: Grant;
}

/** The settings as a form; what is not in it stays as it was. */
export function SsoForm({ settings }: { settings: SingleSignOn | undefined }) {
  const texts = useTextsOf(ssoTexts);
  const [grants, setGrants] = useState<readonly Grant[]>(settings?.default_grants ?? []);
  const [groups, setGroups] = useState<readonly GroupGrant[]>(() => rowsOf(settings));
  const save = async (form: FormData) => {
    const secret = String(form.get("secret"));
    const body = {
      name: String(form.get("name")),
      issuer: String(form.get("issuer")),
      client_id: String(form.get("client")),
      ...(secret === "" ? {} : { client_secret: secret }),
      group_claim: String(form.get("claim")) || null,
      group_grants: toGroups(groups),
      adds_users: isOn(form, "adds"),
      default_grants: [...grants],
      allowed_domains: linesOf(form, "domains").map((domain) => domain.toLowerCase()),
      is_required: isOn(form, "required"),
    };
    const { data } = await callApi("setSingleSignOn", { body });
    queryClient.setQueryData(singleSignOnQuery.queryKey, data);
  };
  return (
    <SaveForm values={valuePaths} title={texts.form} scope="account:sso:write" onSave={save}>
      <TextInput label={texts.name} name="name" autoComplete="off" initial={settings?.name ?? ""} />
      <TextInput
        label={texts.issuer}
        name="issuer"
        autoComplete="off"
        help={texts.issuerHelp}
        initial={settings?.issuer ?? "https://"}
      />
      <TextInput
        label={texts.clientId}
        name="client"
        autoComplete="off"
        initial={settings?.client_id ?? ""}
      />
      <TextInput
        isOptional
        label={texts.clientSecret}
        name="secret"
        type="password"
        autoComplete="new-password"
        help={settings?.has_client_secret === true ? texts.secretKept : texts.secretNone}
      />
      <h3>{texts.adding}</h3>
      <ToggleInput name="adds" label={texts.addsUsers} initial={settings?.adds_users ?? true} />
      <LinesInput
        label={texts.domains}
        name="domains"
        help={texts.domainsHelp}
        initial={settings?.allowed_domains ?? []}
      />
      <h3>{texts.defaultRights}</h3>
      <GrantsInput grants={grants} hasOwner={false} least={0} onChange={setGrants} />
      <h3>{texts.groups}</h3>
      <TextInput
        isOptional
        label={texts.groupClaim}
        name="claim"
        autoComplete="off"
        help={texts.groupClaimHelp}
        initial={settings?.group_claim ?? ""}
      />
      <GroupsInput groups={groups} onChange={setGroups} />
      <ToggleInput
        name="required"
        label={texts.required}
        initial={settings?.is_required ?? false}
      />
    </SaveForm>
  );
}

function GroupsInput({
  groups,
  onChange,
}: {
  groups: readonly GroupGrant[];
  onChange: (groups: readonly GroupGrant[]) => void;
}) {
  const texts = useTextsOf(ssoTexts);
  const change = (place: number, next: GroupGrant) =>
    onChange(groups.map((each, at) => (at === place ? next : each)));
  return (
    <div className="stack">
      {groups.map((row, place) => (
        <fieldset
          className="grant"
          // biome-ignore lint/suspicious/noArrayIndexKey: the row of a group that is being named
          key={place}
          aria-label={`${texts.group} ${place + 1}`}
        >
          <TextField
            className="text-field"
            value={row.group}
            onChange={(group) => change(place, { ...row, group })}
            isRequired
          >
            <Label className="label">{texts.group}</Label>
            <Input className="input" />
          </TextField>
          <GrantInput
            grant={row.grant}
            hasOwner={false}
            onChange={(grant) => change(place, { ...row, grant })}
          />
          <Button
            className="button small"
            aria-label={texts.removeGroup}
            onPress={() => onChange(groups.filter((_, at) => at !== place))}
          >
            ✕
          </Button>
        </fieldset>
      ))}
      <div className="row">
        <Button
          className="button small"
          onPress={() =>
            onChange([...groups, { group: "", grant: { role: "support", environments: "all" } }])
          }
        >
          {texts.addGroup}
        </Button>
      </div>
    </div>
  );
}

function rowsOf(settings: SingleSignOn | undefined): GroupGrant[] {
  return (settings?.group_grants ?? []).flatMap(({ group, grants }) =>
    grants.map((grant) => ({ group, grant })),
  );
}

function toGroups(rows: readonly GroupGrant[]): SingleSignOn["group_grants"] {
  const byGroup = Map.groupBy(rows, ({ group }) => group.trim());
  return [...byGroup].map(([group, own]) => ({ group, grants: own.map(({ grant }) => grant) }));
}
