import { InvalidArgumentError } from 'commander'

/** Reads the value of an option or an argument. */
export function wholeNumber(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(value)
}
