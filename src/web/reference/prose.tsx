import { Fragment } from 'preact'

/** Shows a sentence of the document, in which code is between backticks and a link is as in Markdown. */
export function Prose({ text }: { text: string }) {
  return (
    <>
      {text.split(/(`[^`]+`|\[[^[\]]+\]\(https:[^()]+\))/).map((part, n) => (
        <Fragment key={n}>{shown(part)}</Fragment>
      ))}
    </>
  )
}

function shown(part: string) {
  const [, code] = /^`(.+)`$/s.exec(part) ?? []
  if (code !== undefined) return <code>{code}</code>
  const [, label, href] = /^\[(.+)\]\((.+)\)$/.exec(part) ?? []
  return href === undefined ? part : <a href={href}>{label}</a>
}
