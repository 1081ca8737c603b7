/** Said by packages when they are loaded, between the lines of our log. We say it ourselves (`node.outdated`). */
const KNOWN = /^oidc-provider WARNING: Unsupported runtime/

/** Called before packages are loaded. Hides what is known, and nothing else. */
export function hideKnownWarnings(): void {
  const warn = console.warn.bind(console)
  console.warn = (...said: unknown[]) => {
    if (!KNOWN.test(String(said[0]))) warn(...said)
  }
}
