/** Shows that there is a secret, and the button to see it. */
export function Masked(props: {
  /** The page's path, to which the button adds `?show=…`, and the id of the section in it. */
  path: string
  section: string
  text: string
  show: 'secret' | 'webhook' | 'callbacks'
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

/** Shows a text, such as a secret, with a button that copies it; `id` is unique on the page. */
export function Copyable(props: {
  id: string
  text: string
  what: string
  /** True to scroll lines that are too long instead of wrapping them, by keyboard too. */
  isScrolled?: boolean
}) {
  const { id, text, what, isScrolled = false } = props
  return (
    <div class="copyable">
      <code id={id} {...(isScrolled ? { tabIndex: 0 } : {})}>
        {text}
      </code>
      <button type="button" class="secondary" data-copy={id} aria-label={`Copy ${what}`} hidden>
        Copy
      </button>
    </div>
  )
}
