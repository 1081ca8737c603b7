import type { CallbackItem, Provider } from '../../src/carriers/kit.js'

/** What a provider reads in one item of a callback, where it looks at nothing but the item. */
export function readItem<Settings extends object>(
  { callbacks }: Pick<Provider<Settings>, 'callbacks'>,
  item: unknown,
): CallbackItem | readonly CallbackItem[] | undefined {
  return callbacks?.read(item, undefined as never)
}
