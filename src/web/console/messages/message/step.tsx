import type { ComponentChildren } from 'preact'
import { Time } from '../../form.js'

/** One step of a message's history. */
export function Step(props: { title: ComponentChildren; at?: Date | null; children?: ComponentChildren }) {
  const { title, at, children } = props
  return (
    <li>
      <div>
        <strong>{title}</strong>{' '}
        {at != null && (
          <span class="muted">
            <Time at={at} />
          </span>
        )}
      </div>
      {children}
    </li>
  )
}
