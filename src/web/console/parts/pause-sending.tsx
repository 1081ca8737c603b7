import type { Page } from '../page.js'
import { Confirm } from '../form.js'

/**
 * Asks once before sending is paused.
 *
 * @param props.what all sending, or that of the page's line or account
 * @param props.which which messages then wait, such as " on its lines"
 */
export function PauseSending(props: { page: Page; action: string; what?: string; which?: string }) {
  const { page, action, what = 'sending', which = '' } = props
  return (
    <Confirm
      page={page}
      action={action}
      label={`Pause ${what}`}
      consequence={
        `New messages${which} are still accepted but wait until you resume sending. Those that wait too long expire, as ` +
        'usual. Receiving and the replies to STOP, START and HELP are not affected.'
      }
      button={`Pause ${what}`}
    />
  )
}
