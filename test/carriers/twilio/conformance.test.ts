import { expect } from 'chai'
import { anyMessage, BY_NUMBER, conformsToCarrier, NUMBERS, pictureAt } from '../conformance.js'
import { createTestTwilio } from './carrier.js'
import { createChecker, isDescriptionHere } from './description.js'
import { ACCOUNT_SID, newSid, refuse, startTwilio } from './stand-in.js'

conformsToCarrier('twilio', async () => {
  const standIn = await startTwilio()
  standIn.behave(
    NUMBERS.rejected,
    refuse(400, 21211, `The 'To' number ${NUMBERS.rejected} is not a valid phone number.`),
  )
  standIn.behave(NUMBERS.throttled, refuse(429, 20429, 'Too Many Requests', { 'Retry-After': '1' }))
  standIn.behave(NUMBERS.unavailable, refuse(401, 20003, 'Authenticate'))
  standIn.behave(NUMBERS.outcomeUnknown, refuse(500, 20500, 'Internal Server Error'))
  standIn.behave(NUMBERS.neverAnswers, () => undefined)
  const { carrier, close } = createTestTwilio(standIn.url)
  return {
    carrier,
    taken: () =>
      Promise.resolve(
        standIn.messages.map(({ sid, statusCallback, from, to, body, mediaUrls }) => ({
          carrierMessageId: sid,
          messageId: new URL(statusCallback).searchParams.get('messageId') ?? '',
          fromNumber: from,
          toNumber: to,
          text: body === '' ? null : body,
          mediaUrls,
        })),
      ),
    situations: BY_NUMBER,
    close: async () => {
      await close()
      await standIn.close()
    },
  }
})

if (isDescriptionHere) {
  describe("Twilio's own description", () => {
    it('has every request that the carrier makes, with its fields and credentials', async () => {
      const standIn = await startTwilio()
      const { carrier, close } = createTestTwilio(standIn.url)
      const forEver = new AbortController().signal
      for (let n = 0; n < 101; n += 1) {
        const sid = `PN${String(n).padStart(32, '0')}`
        standIn.numbers.push({
          sid,
          phone_number: `+1500555${String(n).padStart(4, '0')}`,
          friendly_name: '',
        })
      }
      const message = anyMessage({ media: [pictureAt('https://media.example.com/a.png?x=1')] })
      await carrier.send(message, forEver)
      await carrier.test(forEver)
      const numbers = await carrier.listNumbers?.(forEver)
      await carrier.setUpNumbers?.(numbers?.slice(0, 1) ?? [], forEver)
      await carrier.findSent?.({ ...message, claimedAt: new Date() }, forEver)
      standIn.receive({ from: '+15005550199', to: '+15005550001', media: [newSid('ME')] })
      standIn.record({ from: '+15005550199', to: '+15005550001' })
      for await (const batch of carrier.listReceived?.(['+15005550001'], new Date(0), forEver) ?? []) {
        for (const record of batch) await record.read(forEver)
      }
      await close()
      await standIn.close()
      expect(standIn.faults).to.deep.equal([])
      const account = `/2010-04-01/Accounts/${ACCOUNT_SID}`
      expect(
        standIn.requests.map(({ method, path }) => `${method} ${path.replace(account, '').split('?')[0]}`),
      ).to.deep.equal([
        'POST /Messages.json',
        'GET .json',
        'GET /IncomingPhoneNumbers.json',
        'GET /IncomingPhoneNumbers.json',
        `POST /IncomingPhoneNumbers/${standIn.numbers[0]?.sid}.json`,
        'GET /Messages.json',
        'GET /Messages.json',
        `GET /Messages/${standIn.received[0]?.sid}/Media.json`,
        'GET /Recordings.json',
        `GET /Calls/${standIn.recordings[0]?.call_sid}.json`,
      ])
    })

    it('tells a request that Twilio would not understand', () => {
      const check = createChecker()
      const request = {
        method: 'POST',
        path: `/2010-04-01/Accounts/${ACCOUNT_SID}/Messages.json`,
        authorization: 'Basic YTpi',
        contentType: 'application/x-www-form-urlencoded',
        body: 'To=%2B15005550006',
      }
      expect(check(request)).to.deep.equal([])
      for (const wrong of [
        { body: 'Boddy=Hi&To=%2B15005550006' },
        { body: 'Body=Hi' },
        { body: 'To=%2B15005550006&StatusCallback=nowhere' },
        { path: '/2010-04-01/Accounts/AC1/Messages.json' },
        { path: request.path.replace('Messages', 'Texts') },
        { method: 'GET', path: `${request.path}?PageSize=many`, body: '' },
        { authorization: 'Bearer x' },
        { contentType: 'application/json' },
      ]) {
        expect(check({ ...request, ...wrong }), JSON.stringify(wrong)).to.not.be.empty
      }
    })
  })
}
