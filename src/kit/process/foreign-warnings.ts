/**
 * Packages print these when they are loaded, between the lines of our log. We report it ourselves (`node.outdated`).
 */
const KNOWN = /^oidc-provider WARNING: Unsupported runtime/

/** Hides the known warnings, and nothing else. It must be called before packages are loaded. */
export function hideKnownWarnings(): void {
  const warn = console.warn.bind(console)
  console.warn = (...said: unknown[]) => {
    if (!KNOWN.test(String(said[0]))) warn(...said)
  }
}
