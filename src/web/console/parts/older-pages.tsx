/**
 * Shows the links below a list that begins with the newest.
 *
 * @param newest the path of its first page; undefined if that is shown
 * @param older the path of the next page; undefined if there is none
 */
export function OlderPages({ newest, older }: { newest: string | undefined; older: string | undefined }) {
  return (
    <nav class="pages" aria-label="Pages">
      {newest === undefined ? <span /> : <a href={newest}>Newest</a>}
      {older !== undefined && (
        <a href={older} rel="next">
          Older
        </a>
      )}
    </nav>
  )
}
