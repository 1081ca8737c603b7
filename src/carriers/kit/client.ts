import type { AnyObject, ObjectSchema } from 'yup'
import { CarrierOutcomeUnknown, type CarrierClient, type OutboundMessage, type Taken } from '../carrier.js'
import type { CarrierTools } from '../kind.js'
import { errorOfFailure, loggingRefusals } from '../refusals.js'
import { isSuccess, type Answer } from './answer.js'
import { askOrRefuse, createApi, explainFailure } from './api.js'
import { writeNumber } from './numbers.js'
import { numberFormOf, type Asking, type MessageToSend, type Provider, type Use } from './provider.js'
import { recordsOf } from './received.js'
import { errorOfRefusal, meaningOf, wordsOf, type Refusal } from './refusals.js'

/** Makes the carrier client of an account at a provider. */
export function createClient<Settings extends AnyObject>(
  provider: Provider<Settings>,
  account: { id: string; name: string },
  settings: Settings,
  { http, log, callbackUrl }: CarrierTools & Pick<Use<Settings>, 'callbackUrl'>,
): CarrierClient {
  const { title, codes = {}, listNumbers, setUpNumbers, listReceived, listPhones } = provider
  const numbers = numberFormOf(provider, settings)
  const api = createApi(http, provider.api(settings))
  const use: Use<Settings> = { settings, callbackUrl }
  const hide = hiderOf(provider.settings, settings)
  const readRefusal = (answer: Answer) => hidden(provider.refusal?.(answer, settings), hide)

  const explain = (answer: Answer): string => explainAnswer(provider, answer, readRefusal(answer))

  async function post(message: OutboundMessage, signal: AbortSignal): Promise<Taken> {
    const toSend = messageFor(message)
    const answer = await api.ask(provider.send(toSend, use), signal).catch((error: unknown) => {
      throw errorOfFailure(error, signal)
    })
    const refusal = readRefusal(answer)
    if (!isSuccess(answer) || refusal !== undefined) throw errorOfRefusal(title, codes, answer, refusal)
    const id = provider.id(answer, toSend, settings)
    // The provider may have taken the message, but without its id, no report would ever find it.
    if (id === '') throw new CarrierOutcomeUnknown(`${title} returned HTTP ${answer.status} without an ID`)
    const charge = provider.charge?.(answer)
    return { carrierMessageId: id, ...(charge === undefined ? {} : { charge }) }
  }

  function messageFor({
    fromNumber,
    toNumber,
    text,
    media,
    id,
    expiresInMs,
  }: OutboundMessage): MessageToSend {
    return {
      ...{ id, media, expiresInMs },
      from: writeNumber(fromNumber, numbers, fromNumber),
      to: writeNumber(toNumber, numbers, fromNumber),
      text: text === null || text === '' ? undefined : text,
      mediaUrls: media.map(({ url }) => url),
    }
  }

  const askingFor = (signal: AbortSignal): Asking<Settings> => ({
    ...use,
    ask: (request) => askOrRefuse(api.ask(request, signal), title, explain, request.alsoTakes),
  })

  return {
    name: account.name,
    send: loggingRefusals(post, account.name, { log }),
    async test(signal) {
      try {
        const answer = await api.ask(provider.test(settings), signal)
        const isWorking = provider.isWorking?.(answer) ?? (isSuccess(answer) && !readRefusal(answer))
        return isWorking ? undefined : explain(answer)
      } catch (error) {
        return explainFailure(error, title)
      }
    },
    ...(listNumbers && { listNumbers: (signal) => listNumbers(askingFor(signal)) }),
    ...(setUpNumbers && { setUpNumbers: (list, signal) => setUpNumbers(list, askingFor(signal)) }),
    ...(listPhones && { listPhones: (signal) => listPhones(askingFor(signal)) }),
    ...(listReceived && {
      listReceived: async function* (ours, since, signal) {
        const listed = await listReceived(since, askingFor(signal))
        yield recordsOf(listed, { since, numbers: ours, form: numbers })
      },
    }),
    close: () => Promise.resolve(),
  }
}

/** Explains an answer other than the one that a request was made for. */
function explainAnswer<Settings extends AnyObject>(
  { title, codes = {}, credentialsHint }: Provider<Settings>,
  answer: Answer,
  refusal: Refusal = {},
): string {
  const { code = '' } = refusal
  const words = wordsOf(codes, refusal)
  const said = words === '' ? '' : ` It says: ${words}${code === '' ? '' : ` (${code})`}`
  const { status } = answer
  const isOfAccount = [401, 403].includes(status) || meaningOf(codes, code) === 'account'
  if (isOfAccount) return `${title} rejected the credentials. ${credentialsHint}${said}`
  if (status === 429) return `${title} is rate limiting. Try again in a minute.`
  if (status >= 500) return `${title} returned HTTP ${status}. Try again in a minute.${said}`
  return `${title} refused the request (${status}).${said}`
}

/**
 * Removes an account's secrets from a provider's words. Some providers repeat the request that they refuse, and their
 * words are stored, shown and logged.
 */
function hiderOf<Settings extends AnyObject>(schema: ObjectSchema<Settings>, settings: Settings) {
  const secrets = Object.entries(schema.describe().fields).flatMap(([name, field]) => {
    const { secret } = ((field as { meta?: object }).meta ?? {}) as { secret?: boolean }
    const value: unknown = settings[name]
    return secret === true && typeof value === 'string' && value !== '' ? [value] : []
  })
  return (words: string) => secrets.reduce((shown, each) => shown.replaceAll(each, '[secret]'), words)
}

function hidden(refusal: Refusal | undefined, hide: (words: string) => string): Refusal | undefined {
  return refusal?.said === undefined ? refusal : { ...refusal, said: hide(refusal.said) }
}
