import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { Deliver, parse, Report, Submit, utils } from 'node-pdu'
import { startCable, type Cable } from './serial-cable.js'

/**
 * A modem at the end of a serial line, by the documents alone: 3GPP TS 27.007 (SIM card, network), 27.005 (texts) and
 * 23.040 (PDUs), ITU-T V.250 (the form of commands and answers). The package `node-pdu` makes and reads its PDUs. Only a
 * status report is put together here (23.040 §9.2.2.3), because the package just reads them.
 *
 * It is strict where modems are: it ignores what is written while a command runs, and ESC ends the text of `+CMGS`.
 */
export interface ModemStandIn {
  /** The path of a real pseudo-terminal, and the same modem behind a serial port of the network. */
  device: string
  networkDevice: string
  /** The texts that the network has taken, each when its last part was. */
  taken: { to: string; text: string; reference: number }[]
  /** The PDUs that it has taken, as they were written. */
  pdus: string[]
  /** Each command line. */
  commands: string[]
  /** How it behaves; may be changed at any time. */
  state: ModemState
  /** A text comes from the network, in as many parts as it needs. Those that find no room wait there. */
  bring(from: string, text: string, options?: { at?: Date; only?: number[] }): string[]
  /** Somebody writes texts on this modem, which it keeps without sending them, in each free place. */
  fillWithOwn(): void
  /** Deletes these again. */
  deleteOwn(): void
  /** A PDU comes from the network, without the number of the service centre. */
  bringPdu(tpdu: string): void
  /** A status report on a text that was taken. */
  report(to: string, reference: number, status: number, at?: Date): void
  /** Somebody calls its number, and hangs up. */
  call(): void
  /** The number of texts in its memory, and of those that still wait in the network. */
  storedCount(): number
  waitingCount(): number
  unplug(): Promise<void>
  plug(): Promise<void>
  close(): Promise<void>
}

/** What becomes of a text: the number of a +CMS ERROR, a line instead of an answer, or of the prompt, or how it fails to answer. */
type Outcome =
  | { cms: number }
  | { line: string }
  | { lateMs: number; cms?: number }
  | { noPrompt: string }
  | 'taken_silently'
  | 'hangs'

export interface ModemState {
  hasSim: boolean
  /** While it is set, the SIM card waits for it. */
  pin: string | undefined
  pinTries: number
  /** How often the card is busy when it is given its PIN. */
  busyPins: number
  /** +CREG, +CEREG, +CSQ and +COPS. */
  registration: number
  lteRegistration: number
  signal: number
  operator: string
  /** What `AT+CNMI=?` answers; undefined: there is no such command. */
  indications: string | undefined
  /** The memories it has, and how many texts each holds. The first receives. */
  memories: string[]
  capacity: number
  /** What happens to a text. */
  outcomeOf: (to: string, text: string) => Outcome | undefined
  /** The TP-Status of the report that follows a text that asks for one; undefined: none follows. */
  reports: number | undefined
  /** It answers nothing any longer, until it is plugged in again. */
  isHung: boolean
  /** Written before each answer. */
  noise: string
  /** `+CMGD` fails. */
  keepsTexts: boolean
  /** What `+CMGL` writes instead of a PDU, for noise on the line. */
  listedAs: (pdu: string) => string
  /** What comes together with the prompt, such as an announcement. */
  afterPrompt: string
  /** False if the memory for reports cannot be selected. */
  hasReportMemory: boolean
}

const [CTRL_Z, ESC, CR, BACKSPACE] = [0x1a, 0x1b, 0x0d, 0x08]

interface Stored {
  memory: string
  index: number
  status: number
  tpdu: string
}

export async function startModem(changes: Partial<ModemState> = {}): Promise<ModemStandIn> {
  const state: ModemState = {
    ...{
      hasSim: true,
      pin: undefined,
      pinTries: 3,
      busyPins: 0,
      registration: 1,
      lteRegistration: 0,
      signal: 21,
    },
    ...{ operator: 'Test Mobile', indications: '(0-2),(0,1),(0,2),(0-2),(0,1)', memories: ['SM', 'ME'] },
    ...{ capacity: 20, outcomeOf: () => undefined, reports: undefined, isHung: false, noise: '' },
    ...{ keepsTexts: false, listedAs: (pdu: string) => pdu, hasReportMemory: true, afterPrompt: '' },
    ...changes,
  }
  const standIn = { taken: [], pdus: [], commands: [], state } as unknown as ModemStandIn
  let socket: Socket | undefined
  let stored: Stored[] = []
  let inNetwork: string[] = []
  const parts = new Map<string, Map<number, string>>()
  let reference = Math.floor(Math.random() * 256)
  /** What is reset when it is plugged in: V.250 §6.2.4, 27.007 §9.1, 27.005 §3. */
  const defaults = () => ({
    ...{
      hasEcho: true,
      errors: 0,
      isText: true,
      indications: [0, 0, 0, 0, 0],
      memory: state.memories[0] ?? '',
    },
    ...{ line: [] as number[], isBusy: false, lengthOfPdu: 0 },
  })
  let mode = defaults()

  const write = (text: string) => {
    if (!state.isHung) socket?.write(text, 'latin1')
  }
  const say = (line: string) => {
    write(`${state.noise}\r\n${line}\r\n`)
  }
  const fail = (code: number, service: 'CME' | 'CMS' = 'CME') => {
    say(mode.errors === 0 ? 'ERROR' : `+${service} ERROR: ${code}`)
  }

  function takeByte(byte: number): void {
    if (state.isHung || mode.isBusy) return
    if (mode.lengthOfPdu > 0) {
      takeByteOfPdu(byte)
      return
    }
    if (mode.hasEcho) write(String.fromCharCode(byte))
    if (byte === BACKSPACE) mode.line.pop()
    else if (byte !== CR) mode.line.push(byte)
    else {
      const line = Buffer.from(mode.line).toString('latin1')
      mode.line = []
      // What stands before AT is no command line (V.250 §5.2.1).
      const [, body] = /at([^]*)$/i.exec(line) ?? []
      if (body === undefined) return
      standIn.commands.push(`AT${body}`)
      run(body.trim())
    }
  }

  function takeByteOfPdu(byte: number): void {
    if (byte !== ESC && byte !== CTRL_Z) {
      mode.line.push(byte)
      return
    }
    const text = Buffer.from(mode.line).toString('latin1')
    const length = mode.lengthOfPdu
    Object.assign(mode, { line: [], lengthOfPdu: 0 })
    if (byte === ESC) say('OK')
    else submit(text.trim(), length)
  }

  function run(command: string): void {
    if (command === '') {
      say('OK')
      return
    }
    const [, name = '', given = ''] = /^([EV]|\+[A-Z]+)(.*)$/i.exec(command) ?? []
    const handler = HANDLERS[name.toUpperCase()]
    if (handler === undefined) say('ERROR')
    else handler(given)
  }

  const isReady = () => state.hasSim && state.pin === undefined
  const ok = (...lines: string[]) => {
    for (const line of lines) say(line)
    say('OK')
  }
  /** 27.005 §3.2.5: 310 no SIM card, 311 its PIN is wanted. */
  const withSim = (work: (given: string) => void) => (given: string) => {
    if (isReady()) work(given)
    else fail(state.hasSim ? 311 : 310, 'CMS')
  }
  const usedIn = (memory: string) => stored.filter((each) => each.memory === memory).length

  const HANDLERS: Record<string, (given: string) => void> = {
    E: (given) => {
      mode.hasEcho = given === '1'
      ok()
    },
    V: () => {
      ok()
    },
    '+CMEE': (given) => {
      mode.errors = Number(given.slice(1))
      ok()
    },
    '+CPIN': (given) => {
      if (!state.hasSim) fail(10)
      else if (given === '?')
        ok(`+CPIN: ${state.pin === undefined ? 'READY' : state.pinTries > 0 ? 'SIM PIN' : 'SIM PUK'}`)
      else if (state.pinTries === 0) fail(12)
      else if (state.busyPins > 0) {
        state.busyPins -= 1
        fail(14)
      } else if (/^="?(\d+)"?$/.exec(given)?.[1] === state.pin) {
        state.pin = undefined
        state.pinTries = 3
        ok()
      } else {
        state.pinTries -= 1
        fail(state.pinTries === 0 ? 12 : 16)
      }
    },
    // 27.007 §5: a client may look for a modem that it knows.
    '+CGMI': () => {
      ok('Test')
    },
    '+CGMM': () => {
      ok('Modem')
    },
    '+CSCS': (given) => {
      ok(...(given === '?' ? ['+CSCS: "GSM"'] : given === '=?' ? ['+CSCS: ("GSM")'] : []))
    },
    '+CFUN': () => {
      ok()
    },
    '+CSCA': () => {
      ok('+CSCA: "+15550009999",145')
    },
    '+CREG': (given) => {
      ok(...(given === '?' ? [`+CREG: 0,${state.registration}`] : []))
    },
    '+CEREG': () => {
      ok(`+CEREG: 0,${state.lteRegistration}`)
    },
    '+CSQ': () => {
      ok(`+CSQ: ${state.signal},99`)
    },
    '+COPS': (given) => {
      if (given.startsWith('=')) ok()
      else ok(state.registration === 1 ? `+COPS: 0,0,"${state.operator}",7` : '+COPS: 0')
    },
    '+CSMS': (given) => {
      ok(...(given === '?' ? ['+CSMS: 0,1,1,1'] : ['+CSMS: 1,1,1']))
    },
    '+CMGF': withSim((given) => {
      mode.isText = given === '=1'
      ok()
    }),
    '+CPMS': withSim((given) => {
      const [first] = [...given.matchAll(/"(\w+)"/g)].map(([, memory = '']) => memory)
      if (given === '=?') {
        const list = `(${state.memories.map((memory) => `"${memory}"`).join(',')})`
        ok(`+CPMS: ${list},${list},${list}`)
      } else if (given === '?') {
        const each = [mode.memory, mode.memory, state.memories[0] ?? '']
        ok(`+CPMS: ${each.map((memory) => `"${memory}",${usedIn(memory)},${state.capacity}`).join(',')}`)
      } else if (
        first === undefined ||
        ![...state.memories, ...(state.hasReportMemory ? ['SR'] : [])].includes(first)
      )
        fail(302, 'CMS')
      else {
        mode.memory = first
        ok(`+CPMS: ${Array.from({ length: 3 }, () => `${usedIn(first)},${state.capacity}`).join(',')}`)
      }
    }),
    '+CNMI': withSim((given) => {
      if (state.indications === undefined) fail(303, 'CMS')
      else if (given === '=?') ok(`+CNMI: ${state.indications}`)
      else if (!isOffered(given.slice(1), state.indications)) fail(302, 'CMS')
      else {
        mode.indications = given.slice(1).split(',').map(Number)
        ok()
      }
    }),
    '+CMGL': withSim((given) => {
      const wanted = Number(given.slice(1))
      const lines = stored
        .filter((each) => each.memory === mode.memory && (wanted === 4 || each.status === wanted))
        .flatMap((each) => {
          const line = `+CMGL: ${each.index},${each.status},,${each.tpdu.length / 2}`
          if (each.status === 0) each.status = 1
          return [`${line}\r\n${state.listedAs(`${SMSC}${each.tpdu}`)}`]
        })
      ok(...lines)
    }),
    // 27.005 §4.3.
    '+CMGR': withSim((given) => {
      const found = stored.find(
        (each) => each.memory === mode.memory && each.index === Number(given.slice(1)),
      )
      if (found === undefined) fail(321, 'CMS')
      else ok(`+CMGR: ${found.status},,${found.tpdu.length / 2}\r\n${SMSC}${found.tpdu}`)
    }),
    '+CMGD': withSim((given) => {
      const index = Number(given.slice(1))
      if (state.keepsTexts) fail(320, 'CMS')
      else {
        stored = stored.filter((each) => each.memory !== mode.memory || each.index !== index)
        ok()
        fill()
      }
    }),
    '+CMGS': withSim((given) => {
      const outcome = state.outcomeOf('', '')
      if (mode.isText) fail(304, 'CMS')
      else if (typeof outcome === 'object' && 'noPrompt' in outcome) say(outcome.noPrompt)
      else {
        mode.lengthOfPdu = Number(given.slice(1))
        write(`\r\n> ${state.afterPrompt}`)
      }
    }),
  }

  function submit(pdu: string, length: number): void {
    const smscOctets = 1 + parseInt(pdu.slice(0, 2), 16)
    const read = /^([0-9A-F]{2})+$/i.test(pdu) ? parse(pdu) : undefined
    if (!(read instanceof Submit) || pdu.length / 2 - smscOctets !== length) {
      fail(304, 'CMS')
      return
    }
    const [part] = read.data.parts
    const to = `${read.address.type.type === 1 ? '+' : ''}${read.address.phone ?? ''}`
    const outcome = state.outcomeOf(to, part?.text ?? '')
    if (outcome === 'hangs') {
      state.isHung = true
      return
    }
    if (typeof outcome === 'object' && 'lateMs' in outcome && outcome.cms !== undefined) {
      const { lateMs, cms } = outcome
      whileBusy(lateMs, () => {
        fail(cms, 'CMS')
      })
      return
    }
    if (typeof outcome === 'object' && 'cms' in outcome) {
      fail(outcome.cms ?? 0, 'CMS')
      return
    }
    if (typeof outcome === 'object' && 'line' in outcome) {
      say(outcome.line)
      return
    }
    reference = (reference + 1) % 256
    const own = reference
    standIn.pdus.push(pdu)
    const whole = putTogether(to, read)
    if (whole !== undefined) standIn.taken.push({ to, text: whole, reference: own })
    if (outcome === 'taken_silently') return
    const answer = () => {
      ok(`+CMGS: ${own}`)
      if (read.type.statusReportRequest === 1 && state.reports !== undefined)
        standIn.report(to, own, state.reports)
    }
    if (typeof outcome !== 'object' || !('lateMs' in outcome)) answer()
    else whileBusy(outcome.lateMs, answer)
  }

  function whileBusy(ms: number, answer: () => void): void {
    mode.isBusy = true
    const ownMode = mode
    setTimeout(() => {
      ownMode.isBusy = false
      if (mode === ownMode) answer()
    }, ms).unref()
  }

  /** @returns the text, with its last part */
  function putTogether(to: string, read: Submit): string | undefined {
    const [part] = read.data.parts
    const { header } = part ?? {}
    if (header?.getPointer() === undefined) return read.data.getText()
    const key = `${to} ${header.getPointer()}`
    const known = parts.get(key) ?? new Map<number, string>()
    parts.set(key, known.set(header.getCurrent() ?? 1, part?.text ?? ''))
    if (known.size < (header.getSegments() ?? 1)) return undefined
    parts.delete(key)
    return [...known]
      .sort(([a], [b]) => a - b)
      .map(([, text]) => text)
      .join('')
  }

  /** The network delivers what there is room for, and the rest when there is (23.040 §3.2.8). */
  function fill(): void {
    const waiting = inNetwork
    inNetwork = []
    for (const tpdu of waiting) store(tpdu)
  }

  function store(tpdu: string, memory = state.memories[0] ?? ''): void {
    if (usedIn(memory) >= state.capacity || socket === undefined || !isReady()) {
      inNetwork.push(tpdu)
      return
    }
    const taken = stored.filter((each) => each.memory === memory).map(({ index }) => index)
    const index = Array.from({ length: state.capacity + 1 }, (_, n) => n).find((n) => !taken.includes(n)) ?? 0
    stored.push({ memory, index, status: 0, tpdu })
    const [modeOf = 0, texts, , reports] = mode.indications
    if (modeOf === 0) return
    if (memory === 'SR' && reports === 2) say(`+CDSI: "SR",${index}`)
    if (memory !== 'SR' && texts === 1) say(`+CMTI: "${memory}",${index}`)
  }

  const server = createServer((connected) => {
    socket?.destroy()
    socket = connected
    // A serial port of the network stays on when somebody hangs up; only the cable takes the power.
    connected.on('data', (chunk) => {
      for (const byte of chunk) takeByte(byte)
    })
    connected.on('error', () => undefined)
    connected.on('close', () => {
      if (socket === connected) socket = undefined
    })
    fill()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  let cable: Cable | undefined = await startCable(port)
  const { device } = cable

  return Object.assign(standIn, {
    device,
    networkDevice: `tcp:127.0.0.1:${port}`,
    bring: (from: string, text: string, { at = new Date(), only }: { at?: Date; only?: number[] } = {}) => {
      const made = new Deliver(from, text, { serviceCenterTimeStamp: new utils.SCTS(at) })
      const tpdus = made.getParts().map((part) => part.toString(made).slice(2))
      for (const [n, tpdu] of tpdus.entries()) if (only?.includes(n + 1) ?? true) store(tpdu)
      return tpdus
    },
    // `STO UNSENT` is 2 (27.005 §3.1, <stat>).
    fillWithOwn: () => {
      const memory = state.memories[0] ?? ''
      for (let index = 0; usedIn(memory) < state.capacity; index += 1) {
        if (!stored.some((each) => each.memory === memory && each.index === index))
          stored.push({ memory, index, status: 2, tpdu: '01000B915155001011F100000548656C6C6F' })
      }
    },
    deleteOwn: () => {
      stored = stored.filter(({ status }) => status !== 2)
      fill()
    },
    bringPdu: (tpdu: string) => {
      store(tpdu)
    },
    report: (to: string, of: number, status: number, at = new Date()) => {
      const stamp = new utils.SCTS(at).toString()
      const address = new utils.SCA(true).setPhone(to, true).toString()
      const tpdu = `06${hex(of)}${address}${stamp}${stamp}${hex(status)}`
      const read = parse(`00${tpdu}`)
      if (!(read instanceof Report) || read.reference !== of || read.status !== status)
        throw new Error('the status report is not one')
      const reports = mode.indications[3]
      if (reports === 1) say(`+CDS: ${tpdu.length / 2}\r\n${SMSC}${tpdu}`)
      else if (reports === 2) store(tpdu, 'SR')
    },
    call: () => {
      say('RING')
      say('NO CARRIER')
    },
    storedCount: () => stored.length,
    waitingCount: () => inNetwork.length,
    unplug: async () => {
      await cable?.cut()
      cable = undefined
      socket?.destroy()
      socket = undefined
    },
    plug: async () => {
      mode = defaults()
      state.isHung = false
      cable = await startCable(port, device)
      fill()
    },
    close: async () => {
      await cable?.cut()
      socket?.destroy()
      server.close()
      await once(server, 'close')
    },
  })
}

/** The service centre that modems put before what they have received: +15550009999. */
const SMSC = '07915155009099F9'

function hex(octet: number): string {
  return octet.toString(16).padStart(2, '0').toUpperCase()
}

/** True if each value is in its list, such as `(0-2),(0,1)`. */
function isOffered(values: string, lists: string): boolean {
  const offered = [...lists.matchAll(/\(([^)]*)\)/g)].map(([, list = '']) =>
    list.split(',').flatMap((each) => {
      const [first = 0, last = first] = each.split('-').map(Number)
      return Array.from({ length: last - first + 1 }, (_, n) => first + n)
    }),
  )
  return values.split(',').every((value, n) => offered[n]?.includes(Number(value)))
}
