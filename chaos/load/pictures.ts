import { postToApi } from './api.js'
import { idOf, numberOf, type Shift } from './shift.js'

const PAUSE_MS = 400

/** Posts pictures from a server of each manner. */
export function postPictures(shift: Shift): Promise<void>[] {
  const { installation, isOver } = shift
  const [line] = installation.seeds.lines
  return Object.entries(installation.mediaUrls).map(async ([manner, mediaUrl], index) => {
    for (let sequence = 0; !isOver(); sequence += 1) {
      // Each goes to a number of its own, so that a slow one does not hold up others.
      const conversation = `picture-${manner}${sequence}`
      const text = idOf(conversation, 0)
      const toNumber = numberOf(50 + index, sequence)
      await postToApi(
        shift,
        { kind: 'picture', conversation, sequence: 0 },
        { lineId: line?.lineId ?? '', toNumber, text, mediaUrl },
      )
      await shift.pause(PAUSE_MS)
    }
  })
}
