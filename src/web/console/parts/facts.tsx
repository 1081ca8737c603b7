import type { ComponentChildren } from 'preact'

/** Shows the facts about something: label, value, Copy. It is in the right third of a page. */
export function Facts({ title = 'Facts', children }: { title?: string; children: ComponentChildren }) {
  return (
    <section aria-labelledby="facts-title">
      <h2 id="facts-title">{title}</h2>
      <dl class="pairs">{children}</dl>
    </section>
  )
}

/** @param props.copyId the value's id on the page, with which the value can be copied */
export function Fact(props: {
  label: ComponentChildren
  copyId?: string
  /** The object of "Copy the number"; the default is the label. */
  what?: string
  /** True for a long value, which goes below its label. */
  isStacked?: boolean
  children: ComponentChildren
}) {
  const { label, copyId, isStacked = false, children } = props
  const what = props.what ?? (typeof label === 'string' ? `the ${label.toLowerCase()}` : 'this')
  return (
    <div class={isStacked ? 'stacked' : ''}>
      <dt>{label}</dt>
      <dd>{copyId === undefined ? children : <span id={copyId}>{children}</span>}</dd>
      {copyId !== undefined && (
        <dd class="copy">
          <button type="button" data-copy={copyId} aria-label={`Copy ${what}`} hidden>
            Copy
          </button>
        </dd>
      )}
    </div>
  )
}
