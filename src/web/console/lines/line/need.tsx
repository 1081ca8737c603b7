import type { LineNeed } from '../../../../domain/lines/line-needs.js'
import { endpointPath } from '../../endpoints/path.js'
import { linePath, sectionPath } from './section.js'

/** What a line needs, with the way to where its owner can do something. */
export function Need({ lineId, need }: { lineId: string; need: LineNeed }) {
  return <a href={pathOf(lineId, need)}>{need.text}</a>
}

function pathOf(lineId: string, { of, endpointId }: LineNeed): string {
  if (endpointId !== undefined) return endpointPath(endpointId)
  return of === 'line' ? linePath(lineId) : sectionPath(lineId, 'sending')
}
