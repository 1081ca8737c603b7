import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { leaveVoicemail, sendFromPhone, type FromPhone } from '../../domain/simulator/phone-sends.js'
import {
  findConversation,
  listSimulatorLines,
  readPhones,
  suggestPhones,
} from '../../domain/simulator/phones.js'
import { UserError } from '../../errors.js'
import { fieldOf, queryOf } from '../console/form-values.js'
import { live } from '../console/live.js'
import { answerPage, pageOf, type Act } from '../console/page.js'
import { sessionOf } from '../console/people/session.js'
import { LiveConversation } from './conversation.js'
import { pagePath } from './paths.js'
import { fileOf, filesOf, requireReadableForm } from '../middleware/multipart-form.js'
import { Screen } from './screen.js'

/**
 * Shows the phones that the query names (`phone`, once for each, and `add` for one more), otherwise those that were
 * last in touch with the user's lines.
 */
export function showSimulator(context: Context): Middleware {
  return async (ctx) => {
    const { userId } = sessionOf(ctx)
    const page = pageOf(ctx, context)
    const lines = await listSimulatorLines(context, userId)
    const shown = await readShown(ctx, context, userId)
    const add = queryOf(ctx, 'add')
    const numbers = addTo(shown, add, (message) => {
      ctx.status = 400
      page.fault = { action: '/simulator', message, field: undefined, fields: { add }, unkept: [] }
    })
    answerPage(ctx, <Screen {...{ page, lines }} phones={await converse(context, userId, numbers)} />)
  }
}

/** Sends a text, pictures or both from the phone that the path names, and goes back to the page. */
export function postPhoneMessage(context: Context): Act {
  return fromPhone(context, (ctx, userId, between) =>
    sendFromPhone(context, userId, {
      ...between,
      text: fieldOf(ctx, 'text'),
      pictures: filesOf(ctx, 'picture'),
    }),
  )
}

export function postVoicemail(context: Context): Act {
  return fromPhone(context, (ctx, userId, between) =>
    leaveVoicemail(context, userId, { ...between, recording: fileOf(ctx, 'recording') }),
  )
}

/** Streams the conversations of the phones on the screen. */
export function liveConversations(context: Context): Middleware {
  return async (ctx, next) => {
    const { userId } = sessionOf(ctx)
    const numbers = await readShown(ctx, context, userId)
    const render = async () => {
      const phones = await converse(context, userId, numbers)
      return (
        <>
          {phones.map((each) => (
            <LiveConversation key={each.phone} {...each} />
          ))}
        </>
      )
    }
    await live(context, render)(ctx, next)
  }
}

function fromPhone(
  context: Context,
  send: (ctx: KoaContext, userId: string, between: FromPhone) => Promise<void>,
): Act {
  return async (ctx) => {
    requireReadableForm(ctx)
    const { userId } = sessionOf(ctx)
    const { params } = ctx as { params?: Record<string, string> }
    await send(ctx, userId, { phone: `+${params?.phone ?? ''}`, lineId: fieldOf(ctx, 'lineId') })
    return pagePath(await readShown(ctx, context, userId))
  }
}

async function readShown(ctx: KoaContext, context: Context, userId: string): Promise<string[]> {
  // A plus sign in a query means a space to most parsers, and people forget to write %2B.
  const written = [ctx.query.phone ?? []].flat().map((each) => each.replace(/^ /, '+'))
  const phones = readPhones(written.filter((each) => each !== ''))
  return phones.length === 0 ? suggestPhones(context, userId) : phones
}

function addTo(phones: string[], add: string, refuse: (message: string) => void): string[] {
  if (add === '') return phones
  try {
    return readPhones([...phones, add.replace(/^ /, '+')])
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    refuse(error.message)
    return phones
  }
}

function converse(context: Context, userId: string, phones: readonly string[]) {
  return Promise.all(
    phones.map(async (phone) => ({ phone, messages: await findConversation(context, userId, phone) })),
  )
}
