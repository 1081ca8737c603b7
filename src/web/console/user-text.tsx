/**
 * A person's text, such as a name, within a text of ours. Each keeps its own direction of writing. A person's text
 * that stands alone has `dir="auto"` on its own element.
 */
export function UserText({ children }: { children: string }) {
  return <bdi dir="auto">{children}</bdi>
}
