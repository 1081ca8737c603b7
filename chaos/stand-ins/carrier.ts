import { MEDIA } from '../../test/domain/media-samples.js'
import { newSid, startTwilio } from '../../test/carriers/twilio/stand-in.js'
import { startControl } from './control.js'
import { announce, record } from './record.js'

/**
 * A stand-in for Twilio, in a process of its own. What it took is the truth about what was sent. It is also told what people
 * send to lines, so that it can say so when it is asked. The load makes the callbacks for that.
 */
const twilio = await startTwilio({
  onTaken: ({ from, to, body }) => {
    record({ from, to, text: body })
  },
})
const mediaSid = newSid('ME')
const picture = twilio.host(
  `/Messages/${newSid('MM')}/Media/${mediaSid}`,
  MEDIA.picture.png ?? Buffer.alloc(0),
)
const controlUrl = await startControl((told) => {
  const message = told as { sid: string; from: string; to: string; body: string }
  // A message without a text is a picture.
  twilio.receive({ ...message, media: message.body === '' ? [mediaSid] : [] })
})
announce(twilio.url, { controlUrl, mediaPath: new URL(picture).pathname })
