import type { Peer } from '../../../../database/lines/line-peers.js'
import { Time } from '../../form.js'
import { PhoneNumber } from '../phone-number.js'

/** Explains why nothing can be sent to the other party's number, or not now. */
export function Obstacles(props: { number: string; obstacles: Pick<Peer, 'optedOutAt' | 'pausedUntil'> }) {
  const { number, obstacles } = props
  const { optedOutAt, pausedUntil } = obstacles
  return (
    <>
      {optedOutAt !== null && (
        <p class="fault">
          <PhoneNumber number={number} /> opted out of this line (STOP) on <Time at={optedOutAt} />. You
          cannot send to it. Only the person can undo this, by texting START.
        </p>
      )}
      {pausedUntil !== null && (
        <p class="fault">
          Sending to <PhoneNumber number={number} /> is paused until <Time at={pausedUntil} />: this looks
          like two machines replying to each other. Messages wait until then. Incoming ones still go to your
          server.
        </p>
      )}
    </>
  )
}
