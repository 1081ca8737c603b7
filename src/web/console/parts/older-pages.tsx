/**
 * Shows the links below a list that begins with the newest.
 *
 * @param props.newest the path of its first page; undefined if that is shown
 * @param props.older the path of the next page; undefined if there is none
 * @param props.words for a list in another order
 */
export function OlderPages(props: {
  newest: string | undefined
  older: string | undefined
  words?: readonly [first: string, next: string]
}) {
  const { newest, older, words = ['Newest', 'Older'] } = props
  return (
    <nav class="pages" aria-label="Pages">
      {newest === undefined ? <span /> : <a href={newest}>{words[0]}</a>}
      {older !== undefined && (
        <a href={older} rel="next">
          {words[1]}
        </a>
      )}
    </nav>
  )
}
