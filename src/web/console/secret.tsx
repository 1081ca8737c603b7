/** A secret that is not shown, and the button to see it. */
export function Masked(props: {
  /** The page's path, to which the button adds `?show=…`, and the id of the section in it. */
  path: string
  section: string
  text: string
  show: 'secret' | 'webhook'
  button: string
}) {
  const { path, section, text, show, button } = props
  return (
    <div class="copyable">
      <code>{text}</code>
      <form method="get" action={`${path}#${section}`} class="inline">
        <input type="hidden" name="show" value={show} />
        <button type="submit" class="secondary">
          {button}
        </button>
      </form>
    </div>
  )
}

/** A secret, shown, with its button; `id` is unique on the page. */
export function Copyable({ id, text, what }: { id: string; text: string; what: string }) {
  return (
    <div class="copyable">
      {/* Reached by keyboard, or nobody could scroll it without a mouse. */}
      <code id={id} tabIndex={0}>
        {text}
      </code>
      <button type="button" class="secondary" data-copy={id} aria-label={`Copy ${what}`} hidden>
        Copy
      </button>
    </div>
  )
}
