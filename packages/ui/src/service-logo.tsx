import { useState } from "react";
import { toMonogram } from "./monogram.ts";

/** What is shown of a service. */
export interface Service {
  readonly display_name: string;
  readonly logo?: string;
}

/** The service's logo, or its letters where there is none; decoration next to the name. */
export function ServiceLogo({ service, size }: { service: Service; size: "small" | "large" }) {
  const [isMissing, setMissing] = useState(false);
  const { logo, display_name: name } = service;
  if (logo !== undefined && logo !== "" && !isMissing) {
    return (
      <span className={`logo ${size}`} aria-hidden="true">
        <img
          src={`${logo}?name=${encodeURIComponent(name)}`}
          alt=""
          onError={() => setMissing(true)}
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
