import type { OwnEnvironment } from "../data/me.ts";
import { plainText } from "../parts/formats.ts";
import { Go } from "../parts/go.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { ScreenHead } from "./screen-head.tsx";
import { homeOf } from "./screens.ts";

/** An environment that is gone, or not this person's: those that they have. */
export function UnknownEnvironment({
  name,
  environments,
}: {
  name: string;
  environments: readonly OwnEnvironment[];
}) {
  const { shell: texts } = useTexts();
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
