/**
 * Shows an id, of which the style sheet shows the beginning until it is hovered or selected; a selection copies all of
 * it, even without a script.
 *
 * @param props.what as in "Copy the message's id"
 */
export function ShortId({ id, what }: { id: string; what: string }) {
  return (
    <span class="short-id">
      <code id={`id-${id}`} title={id}>
        {id}
      </code>
      <button type="button" class="link" data-copy={`id-${id}`} aria-label={`Copy ${what}`} hidden>
        Copy
      </button>
    </span>
  )
}
