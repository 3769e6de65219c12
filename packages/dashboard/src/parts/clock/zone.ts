let chosen: "UTC" | "local" = "local";

/** Which clock times are written by: the reader's own, or UTC. */
export function zone(): "UTC" | "local" {
  return chosen;
}

export function setZone(next: "UTC" | "local"): void {
  chosen = next;
}
