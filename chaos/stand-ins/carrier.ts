import { MEDIA } from '../../test/domain/media-samples.js'
import { newSid, startTwilio } from '../../test/carriers/twilio/stand-in.js'
import { announce, record } from './record.js'

/** Twilio, as far as a line can tell, in a process of its own: what it took is the truth about what was sent. */
const twilio = await startTwilio({
  onTaken: ({ from, to, body }) => {
    record({ from, to, text: body })
  },
})
const picture = twilio.host(
  `/Messages/${newSid('MM')}/Media/${newSid('ME')}`,
  MEDIA.picture.png ?? Buffer.alloc(0),
)
announce(twilio.url, { mediaPath: new URL(picture).pathname })
