import * as yup from 'yup'
import { DECIMAL } from '../../database/messages/message.js'
import { flattenUsage, readMonths, readUsage } from '../../domain/messages/spending/usage.js'
import { textField } from '../input/body-fields.js'
import { idParameter } from '../input/query.js'
import { answerRows } from '../downloads.js'
import { answersList, count, describe, id, listOf, object, schemaOf, text } from '../openapi/parts.js'
import { requireVisible, visibleLines } from './line-access.js'
import { operationsOf } from './operation.js'

const month = { type: 'string', pattern: '^20\\d\\d-(0[1-9]|1[0-2])$', examples: ['2026-11'] }
const amount = describe(DECIMAL.schema, 'Exact, in whole units of the currency.')

export const usageSchemas = {
  Usage: object({
    month: describe(month, 'The month (UTC) in which the messages were handed to the carrier.'),
    lineId: id,
    messageCount: describe(
      count,
      'The number of messages accepted by carriers. Messages deleted because of their age no longer count.',
    ),
    segmentCount: describe(
      count,
      'The number of segments, as counted by the carrier if it reports them, or else by Linehook.',
    ),
    carrierSegmentCount: describe(count, 'The number of these segments that were counted by carriers.'),
    prices: describe(
      listOf(
        object({
          currency: describe(text, 'ISO 4217.'),
          amount,
          messageCount: describe(count, 'The number of messages this price covers.'),
        }),
      ),
      'The cost reported by carriers. Some report it hours later, some never.',
    ),
  }),
}

const operation = operationsOf('Usage')

export const usageOperations = [
  operation({
    operationId: 'listUsage',
    at: 'get /v1/usage',
    may: 'reads lines',
    summary: 'Get what your {lines} sent and what it cost, by month',
    description:
      'Newest month first. A {line} that sent nothing in a month has no entry for it. The CSV has one row per currency.',
    query: yup.object({
      lineId: idParameter().meta({ about: 'Only of this {line}.' }),
      from: textField().meta({
        schema: month,
        about: 'The first month. Defaults to two months before `until`.',
      }),
      until: textField().meta({
        schema: month,
        about: 'The last month, inclusive. Defaults to the current month.',
      }),
    }),
    answer: answersList('The messages each {line} sent in each month.', schemaOf('Usage')),
    refusals: [404],
    act: async ({ context, ctx, userId, query }) => {
      const { lineId, ...call } = await query()
      const months = readMonths(call)
      const only = lineId?.toLowerCase()
      if (only !== undefined) await requireVisible(context, ctx, only)
      const visible = await visibleLines(context, ctx)
      const lineIds = only === undefined ? visible && [...visible] : [only]
      const usage = await readUsage(context, userId, { ...months, lineIds })
      return answerRows(
        context,
        ctx,
        'usage',
        usage.map((each) => context.vocabulary.fields({ ...each })),
        () => flattenUsage(usage).map((each) => context.vocabulary.fields(each)),
      )
    },
  }),
]
