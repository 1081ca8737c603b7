import { open as openFile, rm, type FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import type { Context } from '../../../src/domain/context.js'
import { exportLine, exportPerson, exportUser } from '../../../src/domain/operating/exports/exports.js'
import { getAnyLine, getOwnLine } from '../../../src/domain/lines/lines.js'
import { readPerson } from '../../../src/domain/people/forget.js'
import { getUserByEmail } from '../../../src/domain/people/users.js'
import { UserError } from '../../../src/errors.js'
import { run } from '../../run.js'

/** The query reads all data of a user. */
const STATEMENT_MS = 30_000

interface ExportOptions {
  to: string
  /** Only for a user's data. */
  reason?: string
  json?: boolean
}

interface Thing {
  argument: string
  about: string
  open: Open
  /** True if the data belongs to others, to whom the reason is shown. */
  needsReason?: boolean
}

const THINGS: Record<string, Thing> = {
  line: {
    argument: 'line',
    about: 'ID or number',
    open: async (context, reference) => {
      const { id, userId } = await getAnyLine(context, reference)
      return exportLine(context, await getOwnLine(context, userId, id))
    },
  },
  user: {
    argument: 'email',
    about: 'email address',
    open: async (context, email) => exportUser(context, (await getUserByEmail(context, email)).id),
  },
  person: {
    argument: 'number',
    about: 'E.164, such as +15551234567',
    open: (context, number, { reason = '' }) => exportPerson(context, readPerson(number), reason),
    needsReason: true,
  },
}

type Open = (context: Context, reference: string, options: ExportOptions) => Promise<Readable>

export function addExportCommands(program: Command): void {
  const command = program
    .command('export')
    .description(
      'export all data of a line, a user or a person as a ZIP of JSON lines and media, without secrets',
    )
  for (const [name, { argument, about, open, needsReason = false }] of Object.entries(THINGS)) {
    const added = command
      .command(name)
      .description(`export a ${name}`)
      .argument(`<${argument}>`, about)
      .requiredOption('--to <file>', 'the ZIP file, which must not exist yet')
      .option('--json', 'print JSON')
    if (needsReason) {
      added.requiredOption(
        '--reason <text>',
        'why; recorded in the audit log and shown to users whose lines have been in contact with the number',
      )
    }
    added.action((reference: string, options: ExportOptions) =>
      run(
        options,
        async (context) => {
          const byteCount = await write(options.to, () => open(context, reference, options))
          return { result: { file: options.to, byteCount }, lines: [`${options.to}: ${byteCount} bytes`] }
        },
        { statementTimeoutMs: STATEMENT_MS },
      ),
    )
  }
}

/**
 * Writes a file that only its owner can read, and removes it if the source breaks off. The file comes first: an export
 * that has nowhere to go asks nothing and is not in the audit log.
 *
 * @throws UserError
 */
async function write(path: string, openSource: () => Promise<Readable>): Promise<number> {
  const file = await create(path)
  try {
    const source = await openSource()
    const written = file.createWriteStream()
    await pipeline(source, written)
    return written.bytesWritten
  } catch (error) {
    await file.close()
    await rm(path, { force: true })
    throw error
  }
}

async function create(path: string): Promise<FileHandle> {
  try {
    return await openFile(path, 'wx', 0o600)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new UserError(`--to: ${path} already exists`)
    throw new UserError(`--to: ${path} cannot be written: ${code ?? ''}`)
  }
}
