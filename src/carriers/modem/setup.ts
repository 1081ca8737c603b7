import { setTimeout as sleep } from 'node:timers/promises'
import type { ListenTools } from '../listening.js'
import type { Answer, Channel } from './channel.js'
import { describeCode } from './errors.js'
import { ModemFault } from './port.js'
import type { ModemSettings } from './settings.js'

/**
 * A modem that was just plugged in needs a moment, and one that is still sending a text hears nothing until it is done.
 */
const [WAKE_TRIES, WAKE_MS] = [5, 1500]
/** Answers to an earlier process arrive right away; they must not be mistaken for ours. */
const QUIET_MS = 150

export interface Receiving {
  /** The memories that texts come into. */
  memories: Set<string>
  /** True if the modem announces new texts. */
  isTold: boolean
}

/**
 * Puts a modem into the state that everything else relies on.
 *
 * @throws ModemFault
 */
export async function setUpModem(
  channel: Channel,
  settings: ModemSettings,
  tools: Pick<ListenTools, 'tryOnce' | 'forgetTried'>,
): Promise<Receiving> {
  await wake(channel)
  // Texts of errors differ, numbers do not (27.007 §9.1).
  for (const command of ['ATE0', 'ATV1', 'AT+CMEE=1']) await channel.ask(command)
  await unlock(channel, settings, tools)
  const format = await channel.ask('AT+CMGF=0')
  if (!format.isOk) throw new ModemFault(`no texts in PDU mode: ${describeCode(format.code)}`)
  // With the service 1, the modem would wait for our answer to each report (27.005 §3.4.4).
  await channel.ask('AT+CSMS=0')
  await channel.ask('AT+COPS=3,0')
  const memories = new Set([await findMemory(channel)])
  return { memories, isTold: await tellOfTexts(channel, settings) }
}

async function wake(channel: Channel): Promise<void> {
  // ESC ends the text that a killed process may have begun.
  channel.write('\x1b')
  for (let tries = 1; ; tries += 1) {
    try {
      await channel.ask('AT', WAKE_MS)
      await sleep(QUIET_MS)
      return
    } catch (error) {
      if (tries < WAKE_TRIES) continue
      if (!(error instanceof ModemFault)) throw error
      throw new ModemFault('the modem does not answer. Check that this is its port for AT commands')
    }
  }
}

/** A third wrong PIN locks the card. So a PIN is noted before it is tried, and the note is removed when it has worked. */
async function unlock(
  channel: Channel,
  { pin }: Pick<ModemSettings, 'pin'>,
  { tryOnce, forgetTried }: Pick<ListenTools, 'tryOnce' | 'forgetTried'>,
): Promise<void> {
  const asked = await channel.ask('AT+CPIN?')
  if (!asked.isOk) throw new ModemFault(describeCode(asked.code))
  const wanted = valueOf(asked, '+CPIN')
  if (wanted === 'READY') {
    await forgetTried()
    return
  }
  if (wanted !== 'SIM PIN') throw new ModemFault(`the SIM card is locked and asks for its ${wanted}`)
  if (pin === '') {
    await forgetTried()
    throw new ModemFault('the SIM card asks for its PIN. Enter it in the settings')
  }
  if (!(await tryOnce(pin))) throw new ModemFault(PIN_REFUSED)
  const tried = await channel.ask(`AT+CPIN="${pin}"`)
  if (!tried.isOk && !NOT_TRIED.has(tried.code)) throw new ModemFault(PIN_REFUSED)
  await forgetTried()
  if (!tried.isOk) throw new ModemFault(describeCode(tried.code))
}

/**
 * With these errors, the card has not checked the PIN (27.007 §9.2): there is none, it is busy, as in the first seconds
 * after it was plugged in, or the modem asks to wait (515, which is not in the standard).
 */
const NOT_TRIED = new Set(['CME-10', 'CME-14', 'CME-515'])

const PIN_REFUSED =
  'the SIM card has refused the PIN, which is not tried again. Enter the right one in the settings'

/** Returns the memory that receives texts (27.005 §3.2.2). */
async function findMemory(channel: Channel): Promise<string> {
  const { lines } = await channel.ask('AT+CPMS?')
  const names = [...lines.join('').matchAll(/"(\w+)"/g)].map(([, name = '']) => name)
  return names[2] ?? names[0] ?? 'SM'
}

/**
 * Asks the modem to announce new texts and reports (27.005 §3.4.1), as far as it can. Reports come directly if they
 * can, because several modems cannot read the memory for them.
 */
async function tellOfTexts(
  channel: Channel,
  { statusReports }: Pick<ModemSettings, 'statusReports'>,
): Promise<boolean> {
  const offered = rangesOf((await channel.ask('AT+CNMI=?')).lines.join(''))
  if (offered.length === 0) return false
  const wanted = [[2, 1, 3], [1], [0], statusReports ? [1, 2, 0] : [0], [0, 1]]
  const chosen = offered
    .slice(0, wanted.length)
    .map((range, n) => wanted[n]?.find((value) => range.has(value)) ?? Math.min(...range))
  const set = await channel.ask(`AT+CNMI=${chosen.join(',')}`)
  return set.isOk && chosen[0] !== 0 && chosen[1] === 1
}

/** Reads lists such as `(0-2),(0,1)`. */
function rangesOf(text: string): Set<number>[] {
  return [...text.matchAll(/\(([\d,\- ]+)\)/g)].map(([, list = '']) => {
    const values = list.split(',').flatMap((each) => {
      const [first = 0, last = first] = each.split('-').map(Number)
      return Array.from({ length: Math.min(last - first, 255) + 1 }, (_, n) => first + n)
    })
    return new Set(values)
  })
}

function valueOf({ lines }: Answer, name: string): string {
  const line = lines.find((each) => each.startsWith(`${name}:`)) ?? ''
  return line.slice(name.length + 1).trim()
}

/** The states of +CREG and +CEREG with which texts can be sent: home, roaming, and for texts only. */
const REGISTERED = new Set([1, 5, 6, 7])
const REGISTRATION: Readonly<Record<number, string>> = {
  0: 'not registered on a network',
  2: 'searching for a network',
  3: 'the network refuses the SIM card',
  8: 'only emergency calls are possible',
}

/** @returns the network in words, and whether texts can be sent over it */
export async function readNetwork(channel: Channel): Promise<{ isRegistered: boolean; words: string }> {
  const states: number[] = []
  for (const command of ['AT+CREG?', 'AT+CEREG?']) {
    // What it reports unprompted has one number, or texts after it (27.007 §7.2).
    const answer = await channel.ask(command)
    const [, state] = /^\+CE?REG: *\d+, *(\d+)/m.exec(answer.lines.join('\n')) ?? []
    states.push(Number(state))
    if (states.some((each) => REGISTERED.has(each))) break
  }
  const [signal = 99] = valueOf(await channel.ask('AT+CSQ'), '+CSQ')
    .split(',')
    .map(Number)
  const strength = signal <= 31 ? `${2 * signal - 113} dBm`.replace('-', '−') : 'no signal'
  if (!states.some((each) => REGISTERED.has(each))) {
    const [state = 0] = states.filter((each) => each in REGISTRATION && each !== 0)
    return { isRegistered: false, words: `${REGISTRATION[state] ?? ''} (${strength})` }
  }
  const [, operator = 'unknown network'] =
    /"([^"]*)"/.exec(valueOf(await channel.ask('AT+COPS?'), '+COPS')) ?? []
  return { isRegistered: true, words: `${operator}, ${strength}` }
}
