import type { StageFacts } from "#auth-modes";

/** The stage and the provider's answer as fields of errors and logs; empty where they are not known. */
export function stageFieldsOf(
  known: Partial<StageFacts> | undefined,
): Pick<Partial<StageFacts>, "stage" | "upstream"> {
  if (known?.stage === undefined) return {};
  const { stage, upstream } = known;
  return upstream === undefined ? { stage } : { stage, upstream };
}
