import type { environmentRoutes, RouteOutput } from "@jackfield/contract";
import { type LastChange, listLastChanges } from "#audit";
import type { EnvironmentContext } from "#foundation";

export type SettingChange = RouteOutput<
  typeof environmentRoutes.listSettingChanges
>["data"][number];

/** What each change is a change of. */
const ofFields = {
  updateEnvironment: "environment",
  updateEnvironmentSettings: "settings",
  updateWebhookSettings: "webhooks",
  rotateWebhookSigningKey: "webhooks",
} as const;
const ofVariables = ["setEnvironmentVariable", "deleteEnvironmentVariable"];

/** Who changed each setting of the environment last, the newest first. */
export async function listSettingChanges(ctx: EnvironmentContext): Promise<SettingChange[]> {
  const changes = await listLastChanges(ctx, {
    actions: Object.keys(ofFields),
    byTarget: ofVariables,
  });
  const known = new Set<string>();
  return changes.flatMap((change) => {
    const presented = present(change);
    const key = `${presented.of} ${presented.name}`;
    // One was set, and deleted later: the newest change counts.
    if (known.has(key)) return [];
    known.add(key);
    return [presented];
  });
}

function present({ action, name, at, actor }: LastChange): SettingChange {
  const isOfFields = (word: string): word is keyof typeof ofFields => Object.hasOwn(ofFields, word);
  return {
    of: isOfFields(action) ? ofFields[action] : "variable",
    name: action === "rotateWebhookSigningKey" || name === null ? "signing_key" : name,
    at: at.toISOString(),
    action,
    actor: { ...actor },
  };
}
