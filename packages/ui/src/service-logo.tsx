import { useState } from "react";
import { toMonogram } from "./monogram.ts";

/** What is shown of a service. */
export interface Service {
  readonly display_name: string;
  readonly logo?: string;
}

/** The service's logo, or its letters where there is none; decoration next to the name. */
export function ServiceLogo({ service, size }: { service: Service; size: "small" | "large" }) {
  const [state, setState] = useState<"loading" | "shown" | "missing">("loading");
  const { logo, display_name: name } = service;
  if (logo !== undefined && logo !== "" && state !== "missing") {
    return (
      <span className={`logo ${size} ${state}`} aria-hidden="true">
        <img
          src={`${logo}?name=${encodeURIComponent(name)}`}
          alt=""
          onLoad={() => setState("shown")}
          onError={() => setState("missing")}
        />
      </span>
    );
  }
  const { letters, hue } = toMonogram(name);
  return (
    <span className={`logo ${size} monogram hue-${hue}`} aria-hidden="true">
      {letters}
    </span>
  );
}
