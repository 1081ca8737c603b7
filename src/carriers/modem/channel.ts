import { asError } from '../../errors.js'
import { isHex, readLine } from './line.js'
import { createLock, type Lock } from './lock.js'
import { ModemFault, type Port } from './port.js'

/** The answer to a command. `code` is that of an error, such as `CMS-38`, or `ERROR` if the modem gives none. */
export interface Answer {
  isOk: boolean
  code: string
  /** The lines before the result, without the echo. */
  lines: string[]
}

/** Thrown if a text was certainly not written to the modem. */
export class NotWritten extends Error {
  override name = 'NotWritten'
}

/** The commands of 3GPP TS 27.005 and 27.007 over one port, one at a time. */
export interface Channel {
  /**
   * @param limitMs how long the answer may take
   * @throws ModemFault if none came; the port is then closed
   */
  ask(command: string, limitMs?: number): Promise<Answer>
  /**
   * Writes a text after the modem prompts for it.
   *
   * @returns the answer, and whether the text was written: it was not if the modem refused the command
   * @throws NotWritten, ModemFault; after the latter, it may have been sent
   */
  submit(pdu: { hex: string; length: number }): Promise<Answer & { isWritten: boolean }>
  /**
   * Resolves when the channel is free. The caller holds it until it calls the result, which is undefined if the wait
   * was too long.
   */
  enter: Lock
  write(text: string): void
}

export interface Unsolicited {
  /** Something new is in this memory (+CMTI, +CDSI). */
  onStored: (memory: string) => void
  /** A PDU that is stored nowhere (+CDS, +CMT), in hexadecimal. */
  onPdu: (hex: string, length: number) => void
}

const ANSWER_MS = 10_000
const PROMPT_MS = 4000
/** The longest that networks are known to take for a text. During that time, the modem can do nothing else. */
const SUBMIT_MS = 120_000
/** Anything longer, in a line or in the lines of an answer, is noise. */
const [MAX_LINE, MAX_LINES] = [2000, 2000]
const [ESC, CTRL_Z] = ['\x1b', '\x1a']

interface Waiting {
  command: string
  lines: string[]
  isForPrompt: boolean
  timer: NodeJS.Timeout
  settle: (outcome: Answer | 'prompt' | Error) => void
}

export function createChannel(port: Port, { onStored, onPdu }: Unsolicited): Channel {
  let rest = ''
  let waiting: Waiting | undefined
  /** The length that precedes a PDU in the next line. */
  let pduLength: number | undefined
  let ended: Error | undefined
  void port.ended.then((reason) => {
    ended = reason
    waiting?.settle(reason)
  })

  function take(chunk: Buffer): void {
    const lines = (rest + chunk.toString('latin1')).split(/[\r\n]+/)
    rest = (lines.pop() ?? '').slice(-MAX_LINE)
    for (const line of lines) takeLine(line.trim())
    if (waiting?.isForPrompt === true && /> ?$/.test(rest)) {
      rest = ''
      waiting.settle('prompt')
    }
  }

  function takeLine(line: string): void {
    if (line === '') return
    // The modem has announced something in the same breath.
    if (waiting?.isForPrompt === true && line.startsWith('>')) {
      waiting.settle('prompt')
      takeLine(line.slice(1).trim())
      return
    }
    if (pduLength !== undefined) {
      const length = pduLength
      pduLength = undefined
      if (isHex(line)) {
        onPdu(line, length)
        return
      }
    }
    const read = readLine(line)
    if (read.kind === 'stored') onStored(read.memory)
    else if (read.kind === 'before_pdu') pduLength = read.length
    else if (waiting === undefined || line === waiting.command || read.kind === 'call') return
    else if (read.kind === 'result') {
      waiting.settle({ isOk: read.isOk, code: read.code, lines: waiting.lines })
    } else {
      if (waiting.lines.length < MAX_LINES) waiting.lines.push(line)
      // A long list takes a while, but each of its lines shows that the modem is alive.
      if (line.startsWith('+CMGL')) waiting.timer.refresh()
    }
  }

  function wait(command: string, limitMs: number, isForPrompt = false): Promise<Answer | 'prompt'> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting?.settle(new ModemFault(`the modem does not answer ${command.replace(/=.*/, '')}`))
      }, limitMs)
      waiting = {
        ...{ command, isForPrompt, timer, lines: [] },
        settle: (outcome) => {
          clearTimeout(timer)
          waiting = undefined
          if (outcome instanceof Error) reject(outcome)
          else resolve(outcome)
        },
      }
      if (ended !== undefined) waiting.settle(ended)
    })
  }

  function write(text: string): void {
    if (ended === undefined) port.write(text)
  }

  async function ask(command: string, limitMs = ANSWER_MS): Promise<Answer> {
    const answering = wait(command, limitMs)
    write(`${command}\r`)
    return (await answering) as Answer
  }

  port.onData(take)
  return {
    write,
    ask,
    submit: async ({ hex, length }) => {
      const command = `AT+CMGS=${length}`
      const prompting = wait(command, PROMPT_MS, true)
      write(`${command}\r`)
      let answer: Answer | 'prompt'
      try {
        answer = await prompting
        // It belongs to something else, and so may the answers after it.
        if (answer !== 'prompt' && answer.isOk) throw new ModemFault('the modem did not prompt for the text')
      } catch (error) {
        write(ESC)
        port.close()
        throw new NotWritten(asError(error).message)
      }
      if (answer !== 'prompt') return { ...answer, isWritten: false }
      const answering = wait(hex, SUBMIT_MS)
      // It is written in one piece: a killed process has written all of it or nothing, and ESC ends a partial text.
      write(hex + CTRL_Z)
      return { ...((await answering) as Answer), isWritten: true }
    },
    enter: createLock(),
  }
}
