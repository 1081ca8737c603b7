import * as yup from 'yup'
import { measureText } from '../../domain/messages/segments.js'
import { readBodyFields } from '../input/body-fields.js'
import type { Operation } from './owner-operation.js'

const schema = yup.object({
  text: yup.string().strict().typeError('text must be text').defined('text is missing'),
})

/** What a text would cost, before it is sent. */
export const postSegments: Operation = () => async (ctx) => {
  const { text } = await readBodyFields(schema, ctx.request.body)
  ctx.body = measureText(text)
}
