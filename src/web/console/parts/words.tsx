/**
 * Shows a sentence of the domain: text between backquotes is a name or something to type. Of several sentences the last
 * one ends with a full stop too, which the API leaves out.
 */
export function Words({ children }: { children: string }) {
  const text = /[.?!] /.test(children) && !/[.?!…:]$/.test(children) ? `${children}.` : children
  return <>{text.split('`').map((piece, n) => (n % 2 === 1 ? <code key={n}>{piece}</code> : piece))}</>
}
