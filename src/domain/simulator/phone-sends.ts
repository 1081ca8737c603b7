import { countCharacters } from '../../kit/text/characters.js'
import { UserError } from '../../errors.js'
import type { Context } from '../context.js'
import { getOwnLine } from '../lines/lines.js'
import { MAX_TEXT_LENGTH } from '../messages/submit/refusals.js'
import { keepPictures, keepUpload } from '../media/uploads.js'
import { simulateInbound, SIMULATOR } from './simulator.js'
import { readPhones } from './phones.js'
import { sampleRecording } from './sample-recording.js'

export interface FromPhone {
  /** A line of the user's. */
  lineId: string
  /** The phone's number, as people write it. */
  phone: string
}

/**
 * A phone writes to a line: a text, pictures, or both in one message.
 *
 * @throws UserError naming the field; 404 when the user has no such line at the simulator
 */
export async function sendFromPhone(
  context: Context,
  userId: string,
  { text, pictures, ...between }: FromPhone & { text: string; pictures: readonly Buffer[] },
): Promise<void> {
  const numbers = await readNumbers(context, userId, between)
  const hasText = text.trim() !== ''
  if (!hasText && pictures.length === 0) throw new UserError('text is required unless you attach a picture')
  if (countCharacters(text) > MAX_TEXT_LENGTH)
    throw new UserError(`text must have at most ${MAX_TEXT_LENGTH} characters`)
  await simulateInbound(context, {
    ...numbers,
    ...(hasText ? { text } : {}),
    ...(pictures.length === 0 ? {} : { mediaUrls: await keepPictures(context, pictures) }),
  })
}

/**
 * Leaves a voicemail. Without a recording it is a short sample.
 *
 * @throws UserError as `sendFromPhone` does
 */
export async function leaveVoicemail(
  context: Context,
  userId: string,
  { recording, ...between }: FromPhone & { recording: Buffer | undefined },
): Promise<void> {
  const numbers = await readNumbers(context, userId, between)
  const voicemailUrl = await keepUpload(context, 'recording', recording ?? sampleRecording())
  await simulateInbound(context, { ...numbers, voicemailUrl })
}

async function readNumbers(context: Context, userId: string, { lineId, phone }: FromPhone) {
  const [fromNumber = ''] = readPhones([phone])
  const line = await getOwnLine(context, userId, lineId)
  if (line.carrierAccount !== SIMULATOR) throw new UserError('No such simulator line', 404)
  return { fromNumber, toNumber: line.number }
}
