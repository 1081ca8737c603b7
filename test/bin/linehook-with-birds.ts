import { createProgram } from '../../bin/program.js'
import type { CarrierKind } from '../../src/carriers/kind.js'
import { CARRIER_KINDS } from '../../src/carriers/registry.js'
import { BIRDS } from '../helpers/services/parrot.js'

// The command line, in a process that knows the tests' kinds of carriers.
for (const [kind, definition] of BIRDS) (CARRIER_KINDS as Map<string, CarrierKind>).set(kind, definition)
await (await createProgram()).parseAsync()
