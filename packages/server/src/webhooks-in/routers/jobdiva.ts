import type { Router } from "../match/router.ts";
import { hmacProof, singleEvent, texts } from "../match/router-kit.ts";

export const jobdiva: Router = {
  proof: hmacProof({ header: "x-hub-signature", algorithm: "sha1", prefix: "sha1=" }),
  read: singleEvent((body) => ({
    types: [texts(body["type"], body["operation"]).join(" ")].filter(Boolean),
    match: "all",
  })),
};
