/**
 * Packages print these between the lines of our log, and between those of a command. We report both ourselves
 * (`node.outdated`, `redis.durability_unknown`).
 */
const KNOWN =
  /^(oidc-provider WARNING: Unsupported runtime|Skipping the ready check because INFO command fails)/

/** Hides the known warnings, and nothing else. It must be called before packages are loaded. */
export function hideKnownWarnings(): void {
  const warn = console.warn.bind(console)
  console.warn = (...said: unknown[]) => {
    if (!KNOWN.test(String(said[0]))) warn(...said)
  }
}
