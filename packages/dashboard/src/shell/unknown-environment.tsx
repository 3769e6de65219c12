import { useRouter } from "@tanstack/react-router";
import { useEffect } from "react";
import type { OwnEnvironment } from "../data/me.ts";
import { plainText } from "../parts/formats.ts";
import { Go } from "../parts/go.tsx";
import { basePath } from "../start/base-path.ts";
import { homeOf } from "../start/environment-address.ts";
import { useTexts } from "../texts/use-texts.ts";
import { ScreenHead } from "./screen-head.tsx";

/** An environment that has another name now leads to that; one that is gone, or not this person's, to those that they have. */
export function UnknownEnvironment({
  name,
  environments,
}: {
  name: string;
  environments: readonly OwnEnvironment[];
}) {
  const { shell: texts } = useTexts();
  const router = useRouter();
  const renamed = environments.find((own) => own.old_names.includes(name));
  useEffect(() => {
    if (renamed === undefined) return;
    const { pathname, searchStr } = router.latestLocation;
    const rest = pathname.split("/").slice(2).join("/");
    const path = rest === "" ? homeOf(renamed.name) : `${homeOf(renamed.name)}/${rest}`;
    router.history.replace(`${basePath}${path}${searchStr}`);
  }, [renamed, router]);
  if (renamed !== undefined) return null;
  return (
    <>
      <ScreenHead title={texts.unknownEnvironment(plainText(name, 60))} />
      <p>{environments.length === 0 ? texts.noEnvironments : texts.unknownEnvironmentText}</p>
      <ul className="bullets">
        {environments.map((own) => (
          <li key={own.id}>
            <Go target={{ to: homeOf(own.name) }}>{own.name}</Go>
          </li>
        ))}
      </ul>
    </>
  );
}
