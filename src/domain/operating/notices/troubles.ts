import type { OpenCause, PresentCause } from '../../../database/operating/notice-causes.js'
import type { NewNotice } from '../../../database/operating/notices.js'
import type { NoticeDetails } from '../../../event-types.js'
import type { NoticeKind } from './kinds.js'

/** A fault that exists now. */
export interface Trouble extends PresentCause {
  kind: NoticeKind
  /** The user who is affected; null if it is the service. */
  userId: string | null
  details: NewNotice['details']
}

/** The end of a trouble that existed before. */
export type End =
  /** It is well again, and the people who were notified of the trouble are notified of this too. */
  | { kind: 'recovered'; as: NoticeKind; userId: string | null; details: NewNotice['details'] }
  /** It is over, and there is nothing to report. */
  | { kind: 'over' }
  /** It is no longer wrong, but not well yet. */
  | { kind: 'unclear' }

/** The result of one check of a part of the service. */
export interface Found {
  troubles: Trouble[]
  /** Returns how a cause ended that was open when the check began and is not among the troubles. */
  endOf: (cause: OpenCause) => End
}

/** A part of the service that is watched, and the kinds of trouble that it may have. */
export interface Watched {
  kinds: readonly NoticeKind[]
  /** @param open the troubles that it had before */
  findTroubles: (open: readonly OpenCause[]) => Promise<Found>
}

/** The troubles that were open stay in view, or others beyond a bound would end them and bring them back by turns. */
export function subjectsOf(open: readonly OpenCause[]): string[] {
  return open.map(({ subject }) => subject)
}

/** Watches something that is reported immediately, and whose end is not. */
export function watching<Kind extends NoticeKind>(
  kind: Kind,
  find: (
    known: string[],
  ) => Promise<(Pick<Trouble, 'subject' | 'userId' | 'mark'> & { details: NoticeDetails<Kind> })[]>,
): Watched {
  return {
    kinds: [kind],
    findTroubles: async (open) => ({
      troubles: (await find(subjectsOf(open))).map((trouble) => ({ ...trouble, kind, afterMs: 0 })),
      endOf: () => ({ kind: 'over' }),
    }),
  }
}
