/**
 * What a person wrote, such as a name, within something of ours: it is read in its own direction, and ours goes on in
 * its. What stands alone has `dir="auto"` itself.
 */
export function UserText({ children }: { children: string }) {
  return <bdi dir="auto">{children}</bdi>
}
