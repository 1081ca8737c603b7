import { createRequire } from 'node:module'
import type * as core from 'libphonenumber-js/core'
import type * as library from 'libphonenumber-js/max'

const require = createRequire(import.meta.url)
let loaded: typeof library | undefined

/**
 * Returns libphonenumber with the rules of all kinds of numbers. It is loaded by the first number, because it takes 45
 * ms of the processor and 8 MB (measured), and most processes read no number at rest. It is required rather than
 * imported, because the caller that reads a number cannot wait for it.
 */
export function phoneLibrary(): Omit<typeof library, 'Metadata'> {
  return (loaded ??= require('libphonenumber-js/max') as typeof library)
}

/** Returns the library's data about the countries' numbers, which are in a different place when it is required. */
export function phoneMetadata(): core.Metadata {
  const { Metadata } = require('libphonenumber-js/core') as typeof core
  return new Metadata(require('libphonenumber-js/metadata.max.json') as core.MetadataJson)
}
