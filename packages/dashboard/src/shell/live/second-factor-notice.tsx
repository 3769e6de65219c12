import type { Me } from "../../data/me.ts";
import { Go } from "../../parts/go.tsx";
import { useTexts } from "../../texts/use-texts.ts";

/** Says that nothing but the own profile works until a second factor is added. */
export function SecondFactorNotice({ me }: { me: Me }) {
  const { people: texts } = useTexts();
  if (!me.second_factor.is_missing) return null;
  return (
    <p className="notice" role="status">
      {texts.factorMissing} <Go target={{ to: "/profile" }}>{texts.openProfile}</Go>
    </p>
  );
}
