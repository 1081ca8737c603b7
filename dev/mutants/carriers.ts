import type { Mutant } from './mutant.js'

const SIGNATURE = ['test/carriers/twilio/signature.test.ts']
const ERRORS = ['test/carriers/twilio/errors.test.ts']
const SESSION = ['test/carriers/smpp/session.test.ts']

/** These mutants misread carriers' requests and responses. */
export const CARRIERS: readonly Mutant[] = [
  {
    breaks: "any body goes with Twilio's signature, whatever its hash",
    file: 'src/carriers/twilio/signature.ts',
    find: 'return isWhole && isSigned',
    replace: 'return isSigned',
    tests: SIGNATURE,
  },
  {
    breaks: 'a text that a carrier may have accepted is sent again when the connection breaks',
    file: 'src/carriers/refusals.ts',
    find: 'failure.requestSent || signal.aborted',
    replace: 'signal.aborted',
    tests: [...ERRORS, 'test/carriers/twilio/hostile.test.ts'],
  },
  {
    breaks: 'a text that an SMSC may have accepted is sent again when the connection breaks',
    file: 'src/carriers/smpp/requests.ts',
    find: 'settle(new NoAnswer(reason.message, true))',
    replace: 'settle(new NoAnswer(reason.message, false))',
    tests: SESSION,
  },
  {
    breaks: 'a process that was suspended sends an SMSC requests that have waited too long',
    file: 'src/carriers/smpp/link.ts',
    find: 'signal.aborted || performance.now() - askedAt > windowMs + LATE_MS',
    replace: 'signal.aborted',
    tests: SESSION,
  },
  {
    breaks: 'all parts of a text are sent again when the SMSC throttles a later one',
    file: 'src/carriers/smpp/smpp.ts',
    find: '(index === 0 ? submit : submitFurther)',
    replace: '(submit)',
    tests: ['test/carriers/smpp/smpp.test.ts'],
  },
  {
    breaks: 'the beginning of a message that was cut short counts as the whole message',
    file: 'src/carriers/smpp/pdu.ts',
    find: 'pdu: isWhole(pdu, body) ? pdu : undefined',
    replace: 'pdu',
    tests: ['test/carriers/smpp/pdus.test.ts'],
  },
]
