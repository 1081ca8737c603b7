/** Shows a sentence of the domain: text between backquotes is a name or something to type. */
export function Words({ children }: { children: string }) {
  return <>{children.split('`').map((piece, n) => (n % 2 === 1 ? <code key={n}>{piece}</code> : piece))}</>
}
