import { expect } from 'chai'
import * as yup from 'yup'
import { UserError } from '../../../src/errors.js'
import { OPERATIONS } from '../../../src/web/api/operations.js'
import { readBodyFields } from '../../../src/web/input/body-fields.js'

/** As many as a body of 64 KiB has room for, and as many as one of 4 MiB has in a batch of messages. */
const LISTS = [
  Array<unknown>(30_000).fill(1),
  Array<unknown>(20_000).fill({}),
  Array<unknown>(15_000).fill(''),
]

describe('a list of thousands of wrong elements', () => {
  for (const { operationId, body } of OPERATIONS) {
    const names = Object.keys(body?.fields ?? {})
    if (body === undefined || names.length === 0) continue

    it(`in a field of ${operationId} is refused with few words, before its elements are judged`, async () => {
      for (const name of names) {
        for (const list of LISTS) {
          const fields = { [name]: list }
          // Each error of yup costs about 0.1 ms.
          const found = await body.validate(fields, { abortEarly: false }).catch((error: unknown) => error)
          const count = found instanceof yup.ValidationError ? found.errors.length : 0
          expect(count, name).to.be.at.most(names.length)
          const refusal = await readBodyFields(body, fields).catch((error: unknown) => error)
          if (refusal instanceof UserError) expect(refusal.message, name).to.have.length.below(1000)
        }
      }
    })
  }
})
