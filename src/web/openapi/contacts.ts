import { MAX_NAME_LENGTH } from '../../domain/names.js'
import { MAX_NUMBER_LENGTH } from '../../domain/messages/phone-number.js'
import { MAX_PAGE } from '../api/contacts.js'
import { DEFAULT_LIMIT, MAX_LIMIT } from '../input/paging.js'
import { orApplication } from './oauth.js'
import {
  answers,
  describe,
  fieldsBody,
  flag,
  id,
  IGNORES_UNKNOWN,
  inQuery,
  listOf,
  maybeMoment,
  maybeText,
  moment,
  nextPage,
  number,
  object,
  schemaOf,
  text,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

export function contactSchemas({ vocabulary, line, lines }: ProductNames): Record<string, Schema> {
  return {
    Contact: object({
      id,
      name: maybeText,
      phoneNumber: describe(number, 'In E.164 form, or the short code or the name of a sender.'),
      [`${vocabulary.idField}s`]: describe(
        listOf(id),
        `A contact counts for all ${lines} of the user. These are the ones that you may see.`,
      ),
      blocked: describe(flag, `What a blocked number sends to a ${line} is kept and makes no events.`),
      blockedAt: maybeMoment,
      createdAt: moment,
    }),
  }
}

export function contactPaths(words: ProductNames): Paths {
  const { line, vocabulary } = words
  const tags = ['Contacts']
  const fields = {
    name: describe(
      { type: 'string', maxLength: MAX_NAME_LENGTH },
      'What you call the number. An empty name takes it away.',
    ),
    phoneNumber: describe(
      { type: 'string', minLength: 1, maxLength: MAX_NUMBER_LENGTH },
      'E.164 is best. It may also be the short code or the name of a sender.',
    ),
    blocked: describe(flag, `Whether what the number sends to a ${line} makes no events.`),
  }
  const names = Object.keys(fields)
  const given =
    'Fields may be in the body, JSON or a form, or in the query, as clients of the original send them; the body ' +
    `counts more. Other fields are ignored: a contact counts for all ${line}s, whatever \`${vocabulary.idField}s\` says.`
  const parameters = names.map((name) =>
    inQuery(name, name === 'blocked' ? flag : text, `The ${name}, instead of in the body.`),
  )
  const answer = answers('The contact.', schemaOf('Contact'))
  const requestBody = { ...fieldsBody(object(fields, names)), required: false }
  return {
    '/v1/contacts': {
      get: {
        operationId: 'listContacts',
        ...IGNORES_UNKNOWN,
        tags,
        summary: 'List your contacts',
        description: 'They come oldest first.',
        security: orApplication(words, 'contacts:read'),
        parameters: [
          inQuery('blocked', flag, 'Only those that are blocked, or only those that are not.'),
          inQuery(
            'pageSize',
            { type: 'integer', minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT },
            'The most that one page has.',
          ),
          inQuery('page', { type: 'integer', minimum: 1, maximum: MAX_PAGE, default: 1 }, 'Which page.'),
        ],
        responses: {
          200: answers('A page of contacts.', listOf(schemaOf('Contact')), nextPage),
          ...problems(400, 401, 403),
        },
      },
      post: {
        operationId: 'saveContact',
        ...IGNORES_UNKNOWN,
        tags,
        summary: 'Name or block a number',
        description: `A number that is a contact already is changed. ${given}`,
        security: orApplication(words, 'contacts:write'),
        parameters,
        requestBody,
        responses: { 200: answer, ...problems(400, 401, 403, 413) },
      },
    },
    '/v1/contacts/{contactId}': {
      parameters: [
        {
          name: 'contactId',
          in: 'path',
          required: true,
          description: "The contact's id, or its number with the plus sign as `%2B`.",
          schema: text,
        },
      ],
      put: {
        operationId: 'changeContact',
        ...IGNORES_UNKNOWN,
        tags,
        summary: 'Change a contact',
        description: `What is left out stays as it is. 409: another contact has the number. ${given}`,
        security: orApplication(words, 'contacts:write'),
        parameters,
        requestBody,
        responses: { 200: answer, ...problems(400, 401, 403, 404, 409, 413) },
      },
    },
  }
}
