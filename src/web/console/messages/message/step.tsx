import type { ComponentChildren } from 'preact'
import { Time } from '../../form.js'

/** Shows one step of a message's history; its mark has the colour of its mood. */
export function Step(props: {
  title: ComponentChildren
  at?: Date | null
  mood?: 'bad' | 'waiting'
  children?: ComponentChildren
}) {
  const { title, at, mood, children } = props
  return (
    <li class={mood}>
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
