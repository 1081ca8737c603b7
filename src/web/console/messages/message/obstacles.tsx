import { Time } from '../../form.js'
import type { MessageView } from './page-model.js'

/** Why nothing can be sent to the number at the other end, or not now. */
export function Obstacles(props: { number: string } & Pick<MessageView, 'obstacles'>) {
  const { number, obstacles } = props
  const { optedOutAt, pausedUntil } = obstacles
  return (
    <>
      {optedOutAt !== null && (
        <p class="fault">
          {number} has opted out of this line (STOP) since <Time at={optedOutAt} />: nothing more is sent to
          it. Only the person can undo that, by texting START.
        </p>
      )}
      {pausedUntil !== null && (
        <p class="fault">
          The line and {number} are paused until <Time at={pausedUntil} />, because they answered each other
          so fast that no person can have been at it. What is to be sent waits until then; what comes in goes
          to your server.
        </p>
      )}
    </>
  )
}
