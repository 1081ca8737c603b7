/**
 * A person's text, such as a name, within a text of ours. Each keeps its own direction of writing. A person's text
 * that stands alone has `dir="auto"` on its own element.
 */
export function UserText({ children }: { children: string }) {
  return <bdi dir="auto">{children}</bdi>
}

/**
 * A person's name, with what it is the name of, where there can be no element: in an option, or in a label. The
 * characters isolate each, so that a name from right to left does not take the number along (Unicode UAX #9, FSI and
 * PDI).
 */
export function labelOf(name: string, detail: string): string {
  return name === detail ? detail : `\u2068${name}\u2069 (\u2068${detail}\u2069)`
}
