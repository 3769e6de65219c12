import { useQuery } from "@tanstack/react-query";
import { type SettingChange, settingChangesQuery } from "../../data/environment/settings.ts";
import { plainText } from "../../parts/formats.ts";
import { Time } from "../../parts/time.tsx";
import { useEnvironment, useMay } from "../../shell/use-environment.ts";
import { useTexts } from "../../texts/use-texts.ts";

/** Who changed these settings last, and when; nothing for settings that nobody has changed. */
export function LastChange({ of, names }: { of: SettingChange["of"]; names: readonly string[] }) {
  const { settings: texts, audit } = useTexts();
  const { name: environment } = useEnvironment();
  const enabled = useMay("environment:settings:read");
  const { data } = useQuery({ ...settingChangesQuery(environment), enabled });
  const last = data?.find((change) => change.of === of && names.includes(change.name));
  if (last === undefined) return null;
  const { name, kind } = last.actor;
  const kinds: Readonly<Record<string, string>> = audit.kinds;
  const who = plainText(name ?? kinds[kind] ?? kind);
  return (
    <span className="soft last-change">
      {kind === "key" && name !== null ? texts.changedByKey(who) : texts.changedBy(who)}{" "}
      <Time at={last.at} />
    </span>
  );
}
