import { InvalidArgumentError } from 'commander'

/** Reads the value of an option or an argument. */
export function wholeNumber(value: string): number {
  if (!/^\d+$/.test(value)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(value)
}

/** Makes a reader of a whole number within limits. */
export const wholeNumberBetween =
  (min: number, max: number) =>
  (value: string): number => {
    const number = wholeNumber(value)
    if (number < min || number > max) throw new InvalidArgumentError(`It must be between ${min} and ${max}.`)
    return number
  }
