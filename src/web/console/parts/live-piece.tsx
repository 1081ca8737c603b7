import type { ComponentChildren } from 'preact'

/**
 * Shows a piece of a page that keeps itself up to date (`live`).
 *
 * @param props.at the path that it comes from; undefined for a piece that stays as it is
 */
export function LivePiece(props: { at: string | undefined; class?: string; children: ComponentChildren }) {
  const { at, children } = props
  return (
    <div class={props.class} data-live={at} data-hx-swap={at === undefined ? undefined : 'innerMorph'}>
      {children}
    </div>
  )
}
