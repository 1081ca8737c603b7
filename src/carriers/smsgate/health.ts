import * as kit from '../kit.js'
import { at, textAt } from '../kit.js'
import { devicesPath, isOurs, isPhone, type Settings } from './phone.js'

const MINUTE_MS = 60_000

/**
 * A phone that is asked directly either answers or is away. A server hears from its phones at least every quarter of an
 * hour, which is the shortest period that Android allows for background work (the app's `PullMessagesWorker`), and
 * sometimes later.
 */
function awayAfterMs({ apiUrl }: Settings): number {
  return (isPhone(apiUrl) ? 10 : 40) * MINUTE_MS
}

/** Only the phone itself knows the state of its battery (the app's `HealthService`). */
export async function listPhones({ ask, settings }: kit.Asking<Settings>): Promise<kit.PhoneState[]> {
  const { body } = await ask({ path: devicesPath(settings.apiUrl) })
  const devices = kit.listAt({ body }, 'body').filter((each) => isOurs(textAt(each, 'id'), settings))
  if (!isPhone(settings.apiUrl)) {
    return devices.flatMap((each) =>
      phonesOf(kit.phone({ ...stateOf(each, settings), at: textAt(each, 'lastSeen') })),
    )
  }
  // It answers 500 if something is wrong with it, such as a battery below 10%.
  const health = await ask({ path: '/health', alsoTakes: [500] })
  return devices.flatMap((each) =>
    phonesOf(
      kit.phone({ ...stateOf(each, settings), at: new Date().toISOString(), ...batteryOf(health.body) }),
    ),
  )
}

/** The app's "ping" comes from the phone itself, so this is a contact now. */
export function readPing(event: unknown, settings: Settings): kit.CallbackItem {
  const id = textAt(event, 'deviceId')
  if (!isOurs(id, settings)) return kit.NOTHING
  const battery = batteryOf(at(event, 'payload.health'))
  return kit.phone({ id, awayAfterMs: awayAfterMs(settings), at: new Date().toISOString(), ...battery })
}

function stateOf(device: unknown, settings: Settings) {
  return { id: textAt(device, 'id'), awayAfterMs: awayAfterMs(settings) }
}

function phonesOf(item: kit.CallbackItem): kit.PhoneState[] {
  return item.kind === 'phone' ? [item.phone] : []
}

/** Reads the level in percent, and how it is charged: 1 means charging, 2 at a charger, 4 by USB. */
function batteryOf(health: unknown): Pick<kit.PhoneState, 'batteryPercent' | 'isCharging'> {
  const checks = at(health, 'checks')
  const [level, flags] = ['battery:level', 'battery:charging'].map((each) =>
    kit.isRecord(checks) ? at(checks[each], 'observedValue') : undefined,
  )
  return {
    ...(typeof level === 'number' ? { batteryPercent: Math.min(100, Math.max(0, Math.round(level))) } : {}),
    ...(typeof flags === 'number' ? { isCharging: flags % 2 === 1 } : {}),
  }
}
