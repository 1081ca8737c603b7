import type { LineNeed } from '../../../../domain/lines/line-needs.js'
import { linePath, sectionPath } from './section.js'

/** What a line needs, with the way to where its owner can do something. */
export function Need({ lineId, need }: { lineId: string; need: LineNeed }) {
  return <a href={pathOf(lineId, need)}>{need.text}</a>
}

const SECTION_OF = {
  sending: 'sending',
  endpoint: 'outgoing-webhook',
  'further endpoint': 'endpoints',
} as const

function pathOf(lineId: string, { of }: LineNeed): string {
  if (of === 'line') return linePath(lineId)
  return sectionPath(lineId, SECTION_OF[of])
}
