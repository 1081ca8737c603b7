import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { DATA_FOLDER } from '../../dev/services/embedded.js'
import { ok, warning, type Check } from './check.js'

/** Users who are neither the owner nor in the group may read the file, or list the folder. */
const OTHERS_MAY_READ = 0o004

export const permissions: Check = {
  name: 'Permissions',
  look: async ({ config }) => {
    const paths = [
      resolve('.env'),
      DATA_FOLDER,
      ...(config.mediaS3 === undefined ? [resolve(config.mediaFolder)] : []),
    ]
    const open: string[] = []
    let count = 0
    for (const path of paths) {
      const found = await stat(path).catch(() => undefined)
      if (found === undefined) continue
      count += 1
      if ((found.mode & OTHERS_MAY_READ) !== 0) open.push(path)
    }
    if (open.length === 0) {
      return ok(
        count === 0
          ? 'This folder contains no files of the service.'
          : "No other user of this machine can read the service's files.",
      )
    }
    return warning(
      `Every user of this machine can read secrets or people's pictures in ${open.join(', ')}.`,
      `Run \`chmod o-r ${open.join(' ')}\`.`,
    )
  },
}
