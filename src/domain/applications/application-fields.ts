import type { ApplicationKind } from '../../database/applications/application.js'
import type { ApplicationFields } from '../../database/applications/applications.js'
import { storable } from '../../database/text.js'
import { UserError } from '../../errors.js'
import { countCharacters } from '../../kit/text/characters.js'
import type { Context } from '../context.js'
import { readName } from '../names.js'
import { explainRedirectUri } from './redirect-uris.js'

/** This leaves room for a few sentences. The consent page shows them, and users should read all of that page. */
export const MAX_DESCRIPTION_LENGTH = 500
/** A website's address is shown to people, so it has no long parameters. */
const MAX_WEBSITE_LENGTH = 500
/**
 * This is enough for a web page, a few development stages and some apps. Codes can be sent to each of them, so there
 * should not be more.
 */
export const MAX_REDIRECT_URIS = 10

/** The fields as the user wrote them. */
export interface WrittenApplication {
  name: string
  description?: string | null | undefined
  website?: string | null | undefined
  redirectUris: readonly string[]
  /** The URL that its events go to; empty if it gets none. */
  webhookUrl?: string | null | undefined
  /** Types of events that it gets in addition to those that every endpoint gets. */
  optInEvents?: readonly string[] | undefined
}

/** @throws UserError 400, which names the field */
export function readApplicationFields(written: WrittenApplication): ApplicationFields {
  return {
    name: readName(written.name),
    description: readDescription(written.description ?? ''),
    website: readWebsite(written.website ?? ''),
    redirectUris: readRedirectUris(written.redirectUris),
  }
}

/** @throws UserError 400 */
export function readApplicationKind(written = 'confidential'): ApplicationKind {
  if (written === 'confidential' || written === 'public') return written
  throw new UserError('kind must be confidential (has a server that keeps its secret) or public')
}

/** @throws UserError 400 if the URL may not be called */
export async function readEndpointUrl(
  { safeFetch }: Context,
  written: string | null | undefined,
): Promise<string | null> {
  const url = (written ?? '').trim()
  if (url === '') return null
  const fault = await safeFetch.explainUrl(url)
  if (fault !== undefined) throw new UserError(`webhookUrl: ${fault}`)
  return url
}

function readDescription(written: string): string {
  const description = storable(written).trim()
  if (countCharacters(description) > MAX_DESCRIPTION_LENGTH || /\p{Bidi_Control}/u.test(description)) {
    throw new UserError(`description must be text of at most ${MAX_DESCRIPTION_LENGTH} characters`)
  }
  return description
}

/** The value becomes a link. */
function readWebsite(written: string): string | null {
  const website = storable(written).trim()
  if (website === '') return null
  const url = URL.canParse(website) ? new URL(website) : undefined
  const isWeb = /^https?:\/\//i.test(website) && url !== undefined && url.username + url.password === ''
  if (!isWeb || website.length > MAX_WEBSITE_LENGTH) {
    throw new UserError(
      `website must be a URL of at most ${MAX_WEBSITE_LENGTH} characters, such as https://example.com`,
    )
  }
  return website
}

function readRedirectUris(written: readonly string[]): string[] {
  const uris = [...new Set(written.map((uri) => uri.trim()).filter((uri) => uri !== ''))]
  if (uris.length === 0 || uris.length > MAX_REDIRECT_URIS) {
    throw new UserError(`redirectUris must be 1 to ${MAX_REDIRECT_URIS} URIs`)
  }
  for (const uri of uris) {
    const fault = explainRedirectUri(uri)
    if (fault !== undefined) throw new UserError(`redirectUris: ${fault}`)
  }
  return uris
}
