import { UserError } from '../src/errors.js'

/** The system's codes for a file or folder that is missing, closed, read-only or on a full disk. */
const OF_FILES = /^(EACCES|EDQUOT|EFBIG|EIO|EISDIR|ENAMETOOLONG|ENOENT|ENOSPC|ENOTDIR|EPERM|EROFS)$/

/** @returns a sentence if the error is of a file, such as one that belongs to another user */
export function describeFileFault(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', message, syscall } = error as NodeJS.ErrnoException
  return syscall !== 'connect' && OF_FILES.test(code)
    ? `A file cannot be read or written (${message})`
    : undefined
}

/** @returns a sentence if a person can fix the error */
export function describeFault(error: unknown): string | undefined {
  return error instanceof UserError ? error.message : describeFileFault(error)
}
