import type { AnyObject } from 'yup'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { CallbackAnswer, CallbackRequest, CallbackTools, CarrierCallbacks } from '../callbacks.js'
import { unclear, type CallbackItem, type ReceiptItem, type MessageItem } from './callback-items.js'
import { numberFormOf, type Provider, type ProviderCallbacks } from './provider.js'
import { isRecord } from './reading.js'
import { readNumbers, readReceived } from './received.js'
import { codeOf, meaningOf, wordsOf } from './refusals.js'
import { isSecret } from './verify.js'

const SUCCESS: CallbackAnswer = { type: 'application/json', body: '{}' }

/**
 * A provider's callbacks. Each item of a request is processed separately, in order. An unclear item is stored for
 * operators before the response, so that success never means that something is lost. If one fails because of a fault of
 * ours, the others are still processed, and the response is the failure: the provider repeats the request, and items
 * that were processed before are recognized.
 */
export function callbacksFor<Settings extends AnyObject>(
  provider: Provider<Settings>,
  callbacks: ProviderCallbacks<Settings>,
): CarrierCallbacks<Settings> {
  const { urls, hint, verify, key, takesGet, bringsMany, bringsMedia, waitMs, answer = SUCCESS } = callbacks
  return {
    ...{ key, takesGet, bringsMany, bringsMedia, waitMs },
    names: Object.keys(urls),
    labels: urls,
    unsignedHint: hint,
    isSigned: (settings, request) => {
      const wanted = key?.(settings)
      return (
        (wanted !== undefined || verify !== undefined) &&
        (wanted === undefined || isSecret(request.key, wanted)) &&
        (verify === undefined || verify(settings, request))
      )
    },
    answer: async (name, request, tools) => {
      await takeAll(provider, readAll(callbacks, name, request, tools.settings), tools)
      return answer
    },
  }
}

function readAll<Settings extends AnyObject>(
  { items, read }: ProviderCallbacks<Settings>,
  name: string,
  request: CallbackRequest,
  settings: Settings,
): CallbackItem[] {
  const found = items === undefined ? request.fields : items(request, name, settings)
  if (found === undefined || found === null) return [unclear('a request without the expected content')]
  return [found].flat().flatMap((item) => {
    try {
      return isRecord(item)
        ? read(item, { name, request, settings })
        : [unclear('an item that is not an object')]
    } catch (error) {
      return [unclear(`an item that could not be read (${(error as Error).name})`)]
    }
  })
}

async function takeAll<Settings extends AnyObject>(
  provider: Provider<Settings>,
  items: readonly CallbackItem[],
  tools: CallbackTools<Settings>,
): Promise<void> {
  const puzzles = new Set<string>()
  const failures: unknown[] = []
  let takenCount = 0
  for (const item of items) {
    try {
      if (item.kind === 'unclear') puzzles.add(item.why)
      if (item.kind === 'message') await takeMessage(provider, item, tools)
      if (item.kind === 'receipt') await tools.receiveReceipt(readReceipt(provider, item))
      if (item.kind === 'missed call') {
        const numbers = readNumbers(item, numberFormOf(provider, tools.settings))
        await tools.receiveMissedCall({ ...numbers, calledAt: item.calledAt })
      }
      if (item.kind === 'opt-out')
        await tools.noteOptOut(readNumbers(item, numberFormOf(provider, tools.settings)))
      if (item.kind === 'phone') await tools.notePhone(item.phone)
      if (item.kind !== 'unclear' && item.kind !== 'nothing') takenCount += 1
    } catch (error) {
      if (error instanceof UserError) puzzles.add(error.message)
      else failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
  if (puzzles.size > 0) await tools.keepUnclear([...puzzles].join('; '))
  else if (takenCount === 0) await tools.confirm()
}

async function takeMessage<Settings extends AnyObject>(
  provider: Provider<Settings>,
  item: MessageItem,
  { receiveMessage, settings }: CallbackTools<Settings>,
): Promise<void> {
  const { id: carrierMessageId, keyword } = item
  await receiveMessage({
    carrierMessageId,
    ...readReceived(item, numberFormOf(provider, settings)),
    ...(keyword === undefined ? {} : { keyword }),
  })
}

function readReceipt<Settings extends AnyObject>(
  { title, codes = {} }: Provider<Settings>,
  { id: carrierMessageId, status, code: written, said, messageId, isOfPart, charge }: ReceiptItem,
) {
  const record = {
    carrierMessageId,
    ...(isId(messageId) ? { messageId } : {}),
    ...(isOfPart ? { isOfPart } : {}),
    ...(charge === undefined ? {} : { charge }),
  }
  if (status !== 'failed') return { ...record, status }
  const words = wordsOf(codes, { code: written, said })
  const code = codeOf({ code: written })
  return {
    ...record,
    status,
    error: words === '' ? `${title} reports it as failed${code === '' ? '' : ` (${code})`}` : words,
    ...(code === '' ? {} : { carrierCode: code }),
    ...(meaningOf(codes, code) === 'opted_out' ? { isOptedOut: true } : {}),
  }
}
