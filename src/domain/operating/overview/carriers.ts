import type { CarrierReason } from '../../../carrier-reasons.js'
import { explainCarrierCode } from '../../../carriers/codes.js'
import {
  readCarrierTraffic as findTraffic,
  type CarrierTraffic,
} from '../../../database/operating/overview/carriers.js'
import { readOnly } from '../../../database/operating/overview/reading.js'
import { listAccountOverviews, type ListedCarrierAccount } from '../../carriers/carrier-accounts.js'
import { isSimulator } from '../../carriers/accounts/kinds.js'
import { viewPhones } from '../../carriers/accounts/phones.js'
import { viewSessions, type SessionsView } from '../../carriers/accounts/sessions.js'
import type { Context } from '../../context.js'
import { countOf } from './figures.js'

/** The state of an account at a carrier. */
export interface CarrierView extends Omit<CarrierTraffic, 'carrier'> {
  id: string
  name: string
  title: string
  lineCount: number
  /** The meaning of the last error's code; null if there is none, or none that is known. */
  lastErrorReason: CarrierReason | null
  /** null if it needs none. */
  sessions: SessionsView | null
  mood: 'good' | 'waiting' | 'bad'
  /** The state in a word or two. */
  state: string
  /** The faults, a sentence each; empty if there are none. */
  faults: string[]
}

const NO_TRAFFIC: Omit<CarrierTraffic, 'carrier'> = {
  throttledCount: 0,
  unreachedCount: 0,
  handedOverCount: 0,
  failedCount: 0,
  unknownCount: 0,
  lastError: null,
  lastErrorCode: null,
  lastErrorReason: null,
  lastErrorAt: null,
}

export async function readCarriers(context: Context): Promise<CarrierView[]> {
  const { db, config } = context
  const traffic = new Map(
    (await readOnly(db, findTraffic)).map(({ carrier, ...ofAccount }) => [carrier, ofAccount]),
  )
  const accounts = await listAccountOverviews(context)
  return accounts
    .filter((account) => config.simulator || !isSimulator(account) || account.lineCount > 0)
    .map((account) => viewCarrier(account, traffic.get(account.name) ?? NO_TRAFFIC))
}

/**
 * If at least this share of the messages of the last 15 minutes is refused, and at least this many, it is not only
 * one number.
 */
const MANY_FAIL = 0.2
const FEW = 5

interface Fault {
  mood: 'waiting' | 'bad'
  state: string
  fault: string
}

function viewCarrier(account: ListedCarrierAccount, traffic: Omit<CarrierTraffic, 'carrier'>): CarrierView {
  const { id, name, title, lineCount } = account
  const found = [...faultsOfAccount(account), ...faultsOfTraffic(traffic)]
  const worst = found.find(({ mood }) => mood === 'bad') ?? found[0]
  return {
    ...{ id, name, title, lineCount },
    sessions: account.sessions === null ? null : viewSessions(account.sessions),
    ...traffic,
    lastErrorReason:
      explainCarrierCode(account.kind, traffic.lastErrorCode, traffic.lastErrorReason)?.reason ?? null,
    mood: worst?.mood ?? 'good',
    state: worst?.state ?? (traffic.handedOverCount > 0 ? 'healthy' : 'idle'),
    faults: found.map(({ fault }) => fault),
  }
}

function faultsOfAccount({ sessions, ...account }: ListedCarrierAccount): Fault[] {
  const found: Fault[] = []
  if (sessions !== null && !viewSessions(sessions).isWhole) {
    const { isHeld, boundCount, sessionCount } = sessions
    const { state, words } = viewSessions(sessions)
    found.push(
      isHeld && boundCount > 0
        ? {
            mood: 'waiting',
            state,
            fault: `Only ${boundCount} of ${sessionCount} sessions are ${sessions.word}.`,
          }
        : { mood: 'bad', state, fault: `It is ${words}.` },
    )
  }
  const away = viewPhones(account).filter(({ isAway }) => isAway)
  if (away.length > 0) {
    found.push({
      mood: 'waiting',
      state: 'phone offline',
      fault: `${countOf(away.length, 'phone is', 'phones are')} offline: messages wait until ${away.length === 1 ? 'it is' : 'they are'} back online.`,
    })
  }
  if (account.lastTestFault !== null && account.lastTestedVersion === account.version) {
    found.push({
      mood: 'waiting',
      state: 'test failed',
      fault: `Its last test failed: ${account.lastTestFault}`,
    })
  }
  return found
}

function faultsOfTraffic(traffic: Omit<CarrierTraffic, 'carrier'>): Fault[] {
  const { throttledCount, unreachedCount, handedOverCount, failedCount, unknownCount } = traffic
  const found: Fault[] = []
  if (unreachedCount > 0) {
    found.push({
      mood: 'bad',
      state: 'unreachable',
      fault: `It could not be reached. ${waits(unreachedCount)} for a retry.`,
    })
  }
  if (throttledCount > 0) {
    found.push({
      mood: 'waiting',
      state: 'throttled',
      fault: `It is rate limiting. ${waits(throttledCount)} for that.`,
    })
  }
  const shareFailed = failedCount / Math.max(1, handedOverCount)
  if (failedCount >= FEW && shareFailed >= MANY_FAIL) {
    found.push({
      mood: 'waiting',
      state: 'many failures',
      fault: `${Math.round(shareFailed * 100)}% of messages failed in the last 15 minutes.`,
    })
  }
  if (unknownCount >= FEW && unknownCount / handedOverCount >= MANY_FAIL) {
    found.push({
      mood: 'bad',
      state: 'unclear outcomes',
      fault: `It did not confirm ${countOf(unknownCount, 'message')} in the last 15 minutes.`,
    })
  }
  return found
}

function waits(count: number): string {
  return count === 1 ? '1 message is waiting' : `${countOf(count, 'message')} are waiting`
}
