import { EVENT_TYPES } from '../../../../event-types.js'
import { countOf } from '../../../../domain/operating/overview/figures.js'
import type { MessageSource, MessageType } from '../../../../database/messages/message.js'

export const TYPE_LABELS: Record<MessageType, string> = {
  text: EVENT_TYPES.inboundText.label,
  media: EVENT_TYPES.inboundMedia.label,
  voicemail: EVENT_TYPES.voiceMail.label,
}

export const SOURCE_LABELS: Record<MessageSource, string> = {
  webhook: 'via incoming webhook',
  application: 'from an application',
  api: 'via API',
  console: 'from this console',
  carrier: 'from the carrier',
  service: 'as an automatic reply to STOP, START or HELP',
}

/** Writes a duration for people: 120 ms, 4.2 s, 3 min 5 s, 2 h 10 min. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  const minutes = Math.round(seconds / 60)
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** The parts of an attempt, in their order. */
export const PHASES = [
  ['dnsMs', 'DNS'],
  ['connectMs', 'Connection'],
  ['tlsMs', 'TLS'],
  ['firstByteMs', 'First byte'],
] as const

/** Writes the durations of the parts that exist: DNS 2 ms, First byte 80 ms. */
export function phaseWords(phases: Record<(typeof PHASES)[number][0], number | null>): string {
  return PHASES.flatMap(([name, label]) => {
    const ms = phases[name]
    return ms === null ? [] : [`${label} ${formatDuration(ms)}`]
  }).join(', ')
}

/** Writes a size for people: 120 bytes, 4.2 kB, 3.1 MB. */
export function formatByteCount(count: number): string {
  if (count < 1000) return countOf(count, 'byte')
  return count < 999_950 ? `${(count / 1000).toFixed(1)} kB` : `${(count / 1_000_000).toFixed(1)} MB`
}
