import type { ComponentChildren } from 'preact'

/** What is known of something: label, value, Copy. It stands in the right third of a page. */
export function Facts({ title = 'Facts', children }: { title?: string; children: ComponentChildren }) {
  return (
    <section aria-labelledby="facts-title">
      <h2 id="facts-title">{title}</h2>
      <dl class="pairs">{children}</dl>
    </section>
  )
}

/** @param props.copyId the value's id on the page; with it the value can be copied */
export function Fact(props: {
  label: ComponentChildren
  copyId?: string
  /** What is copied, as in "Copy the number"; left out: the label. */
  what?: string
  /** A long value, below its label. */
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
