import { expect } from 'chai'
import { CARRIER_REASON_NAMES, CARRIER_REASONS, type CarrierReason } from '../../src/carrier-reasons.js'
import { africastalking } from '../../src/carriers/africastalking.js'
import { bird } from '../../src/carriers/bird/bird.js'
import { clickatell } from '../../src/carriers/clickatell.js'
import { CARRIER_CODES, explainCarrierCode, listCodes, type CodeEntry } from '../../src/carriers/codes.js'
import { infobip } from '../../src/carriers/infobip/infobip.js'
import { meaningOf } from '../../src/carriers/kit/refusals.js'
import { messagemedia } from '../../src/carriers/messagemedia/messagemedia.js'
import { plivo } from '../../src/carriers/plivo/plivo.js'
import { sinch } from '../../src/carriers/sinch/sinch.js'
import { telnyx } from '../../src/carriers/telnyx/telnyx.js'
import { vonage } from '../../src/carriers/vonage/vonage.js'

const codesOf = ({ first, last }: CodeEntry): string[] =>
  first === last
    ? [first]
    : Array.from({ length: Number(last) - Number(first) + 1 }, (_, n) => String(Number(first) + n))

const PROVIDERS = [telnyx, vonage, plivo, infobip, sinch, bird, clickatell, africastalking, messagemedia]
/** These read their refusals themselves. */
const OTHERS = ['twilio', 'smpp', 'modem']

describe('the meaning of carriers’ codes', () => {
  it('has the codes of each provider', () => {
    const kinds = [...PROVIDERS.map(({ kind }) => kind), ...OTHERS]
    expect(Object.keys(CARRIER_CODES)).to.have.members(kinds)
  })

  for (const { kind, codes = {} } of PROVIDERS) {
    it(`of ${kind}: a message that only lacks credit is not rejected`, () => {
      const entries = listCodes(CARRIER_CODES[kind]!).filter(({ reason }) => reason === 'no_credit')
      for (const code of entries.flatMap(codesOf))
        expect(meaningOf(codes, code), code).to.not.equal('rejected')
    })
  }

  for (const [kind, known] of Object.entries(CARRIER_CODES)) {
    it(`has every code of ${kind} once, and finds each`, () => {
      const entries = listCodes(known)
      const codes = entries.flatMap(codesOf)
      expect(codes.filter((code, n) => codes.indexOf(code) !== n)).to.deep.equal([])
      for (const entry of entries) {
        for (const code of codesOf(entry)) {
          expect(explainCarrierCode(kind, code), code).to.deep.equal({
            reason: entry.reason,
            text: CARRIER_REASONS[entry.reason].text,
          })
        }
      }
    })

    it(`has a page that explains the codes of ${kind}`, () => {
      expect(new URL(known.source).protocol).to.equal('https:')
    })
  }

  it('has words for every reason, and a code for every reason', () => {
    for (const name of CARRIER_REASON_NAMES) {
      const { label, text, who } = CARRIER_REASONS[name]
      expect(label, name).to.match(/^[A-Z]/)
      expect(text, name).to.match(/^[A-Z].*\. .*\.$/)
      // Where only the operator can act, an owner is told so.
      expect(who === 'operator', name).to.equal(text.includes('Only the operator'))
    }
    const used = Object.values(CARRIER_CODES).flatMap((known) => listCodes(known).map(({ reason }) => reason))
    expect(CARRIER_REASON_NAMES.filter((name) => !used.includes(name))).to.deep.equal([])
  })

  it('knows hundreds of codes, two hundred of them from Twilio, Telnyx and Vonage', () => {
    const countOf = (tables: (typeof CARRIER_CODES)[string][]) =>
      tables.flatMap((known) => listCodes(known).flatMap(codesOf)).length
    expect(countOf(Object.values(CARRIER_CODES))).to.be.above(600)
    const largest = Object.entries(CARRIER_CODES).filter(([kind]) =>
      ['twilio', 'telnyx', 'vonage'].includes(kind),
    )
    expect(countOf(largest.map(([, known]) => known))).to.be.at.least(200)
  })

  for (const [kind, code, reason] of [
    ['twilio', '30003', 'unreachable'],
    ['twilio', '30006', 'landline'],
    ['twilio', '21610', 'blocked_by_recipient'],
    ['twilio', '30034', 'sender_not_registered'],
    ['twilio', '30040', 'sender_not_registered'],
    ['twilio', '30044', 'too_long'],
    ['twilio', '30038', 'blocked_by_carrier'],
    ['twilio', '30042', 'sender_not_allowed'],
    ['twilio', '30500', 'carrier_fault'],
    ['twilio', '90010', 'account_suspended'],
    ['telnyx', '20013', 'account_suspended'],
    ['telnyx', '40310', 'invalid_number'],
    ['telnyx', '40329', 'sender_not_registered'],
    ['vonage', '1170', 'invalid_number'],
    ['vonage', '1482', 'sender_not_registered'],
    ['plivo', '200', 'blocked_by_recipient'],
    ['infobip', 'REJECTED_NOT_ENOUGH_CREDITS', 'no_credit'],
    ['infobip', '4129', 'sender_not_registered'],
    ['sinch', '412', 'country_not_enabled'],
    ['clickatell', 'EXPIRED', 'expired'],
    ['africastalking', '405', 'no_credit'],
    ['smpp', 'ESME_RINVDSTADR', 'invalid_number'],
    ['smpp', 'EXPIRED/001', 'expired'],
  ] satisfies [string, string, CarrierReason][]) {
    it(`of ${kind} ${code} is ${reason}`, () => {
      expect(explainCarrierCode(kind, code)?.reason).to.equal(reason)
    })
  }

  for (const [kind, code] of [
    // A code that nobody has, of a kind that is known.
    ['twilio', '39999'],
    ['vonage', '01170'],
    ['vonage', '01480'],
    // It is a range's in figures only.
    ['infobip', '4110.5'],
    ['infobip', ''],
    // Two registries have this number.
    ['infobip', '6'],
    ['clickatell', '25'],
    // Each SMSC has errors of its own.
    ['smpp', 'UNDELIV/001'],
    ['smpp', '0x0400'],
    ['http', '400'],
    ['simulator', '30003'],
    ['constructor', '30003'],
    [null, '30003'],
    ['twilio', null],
  ] as const) {
    it(`is not known of ${String(kind)} ${String(code)}`, () => {
      expect(explainCarrierCode(kind, code)).to.equal(null)
    })
  }
})
