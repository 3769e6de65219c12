import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "react-aria-components/Button";
import { callApi } from "../../data/api.ts";
import { useMe } from "../../data/me.ts";
import type { Grant } from "../../data/people/people.ts";
import { queryClient } from "../../data/query-client.ts";
import { ApiForm } from "../../parts/forms/api-form.tsx";
import { TextInput } from "../../parts/forms/text-input.tsx";
import { DialogButton } from "../../parts/panels/dialog-button.tsx";
import { useTexts } from "../../texts/use-texts.ts";
import { GrantsInput } from "./grants-input.tsx";
import { LinkOnce } from "./link-once.tsx";

/** Adds a person, and shows the link by which they join. */
export function InviteButton() {
  const { people: texts } = useTexts();
  return (
    <DialogButton label={texts.invite} look="primary" scope="account:users:create">
      {() => <Invitation />}
    </DialogButton>
  );
}

function Invitation() {
  const { people: texts } = useTexts();
  const isOwner = useMe().account_scopes.includes("account:*");
  const [grants, setGrants] = useState<readonly Grant[]>([
    { role: "developer", environments: "non-production" },
  ]);
  const invite = useMutation({
    mutationFn: async (form: FormData) => {
      const person = { name: String(form.get("name")), email: String(form.get("email")) };
      const body = { ...person, grants: [...grants] };
      return (await callApi("createUser", { body })).data;
    },
    onSuccess: async () => await queryClient.invalidateQueries({ queryKey: ["users"] }),
  });
  if (invite.data !== undefined) {
    return <LinkOnce name={invite.data.user.name} link={invite.data.link} />;
  }
  return (
    <ApiForm className="stack" error={invite.error} onSend={(form) => invite.mutate(form)}>
      <p className="soft">{texts.inviteText}</p>
      <TextInput autoFocus label={texts.name} name="name" autoComplete="off" />
      <TextInput label={texts.email} name="email" type="email" autoComplete="off" />
      <GrantsInput grants={grants} hasOwner={isOwner} onChange={setGrants} />
      <div className="row">
        <Button className="button primary" type="submit" isPending={invite.isPending}>
          {texts.makeInvitation}
        </Button>
      </div>
    </ApiForm>
  );
}
