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
/** At Twilio the URL of a medium names its message. @returns the medium's URL */
const hostFor = (messageSid: string) =>
  twilio.host(`/Messages/${messageSid}/Media/${mediaSid}`, MEDIA.picture.png ?? Buffer.alloc(0))
const picture = hostFor(newSid('MM'))
const controlUrl = await startControl((told) => {
  const message = told as { sid: string; from: string; to: string; body: string }
  // A message without a text is a picture. Who finds it in the list, and not by the callback, asks for it under its message.
  const isPicture = message.body === ''
  if (isPicture) hostFor(message.sid)
  twilio.receive({ ...message, media: isPicture ? [mediaSid] : [] })
})
announce(twilio.url, { controlUrl, mediaPath: new URL(picture).pathname })
