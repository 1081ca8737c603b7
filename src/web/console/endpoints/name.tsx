import type { Endpoint } from '../../../domain/endpoints/endpoints.js'
import { MAX_NAME_LENGTH } from '../../../domain/names.js'
import { withHost } from '../../../domain/operating/overview/endpoints.js'
import { Field } from '../form.js'
import { UserText } from '../user-text.js'

/** Shows the owner's name for it, otherwise its URL. */
export function EndpointName({ endpoint }: { endpoint: Pick<Endpoint, 'name' | 'url'> }) {
  return endpoint.name === null ? <>{withHost(endpoint).host}</> : <UserText>{endpoint.name}</UserText>
}

export function NameField({ value }: { value?: string }) {
  return (
    <Field
      value={value}
      name="name"
      label="Name"
      hint="Optional."
      autocomplete="off"
      more={{ maxlength: MAX_NAME_LENGTH }}
    />
  )
}
