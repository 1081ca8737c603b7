import type { Fields } from '../../shape.js'
import { id, inQuery, moment, text } from './parts.js'
import type { ProductNames } from './product-names.js'

/** Of a list that is read page by page, besides the filters that are its own. */
export function listParameters({ vocabulary, line }: ProductNames, filters: Fields) {
  return [
    inQuery(vocabulary.idField, id, `Only of this ${line}.`),
    ...Object.entries(filters).map(([name, { kind }]) =>
      inQuery(name, kind.schema, `Only with this ${name}.`),
    ),
    inQuery('number', text, 'Only with this number at the other end.'),
    inQuery('from', moment, 'Only from then on.'),
    inQuery('until', moment, 'Only from before then.'),
    inQuery('before', id, 'Only what is older than the thing with this id: the last of the page before.'),
    inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'How many at most.'),
  ]
}

export const nextPage = {
  Link: {
    description: '`<URL>; rel="next"`, when there are more (RFC 8288).',
    schema: { type: 'string', examples: [`<https://linehook.example/v1/messages?before=…>; rel="next"`] },
  },
}
