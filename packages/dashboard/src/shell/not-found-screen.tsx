import { Go } from "../parts/go.tsx";
import { useTexts } from "../texts/use-texts.ts";
import { ScreenHead } from "./screen-head.tsx";

export function NotFoundScreen() {
  const { shell: texts } = useTexts();
  return (
    <>
      <ScreenHead title={texts.notFoundTitle} />
      <p className="soft">{texts.notFoundText}</p>
      <p>
        <Go className="button" target={{ to: "/" }}>
          {texts.toHome}
        </Go>
      </p>
    </>
  );
}
