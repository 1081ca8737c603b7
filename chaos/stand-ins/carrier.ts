import { startTwilio } from '../../test/carriers/twilio/stand-in.js'
import { announce, record } from './record.js'

/** Twilio, as far as a line can tell, in a process of its own: what it took is the truth about what was sent. */
const twilio = await startTwilio({
  onTaken: ({ sid, from, to, body }) => {
    record({ sid, from, to, text: body })
  },
})
announce(twilio.url)
