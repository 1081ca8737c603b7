/** Types for the parts of the package that we use; it has none of its own. */
declare module '@koa/multer' {
  import type { Middleware } from 'koa'
  import type { Field, Options } from 'multer'

  /**
   * @param options `defCharset` is from version 2.5, which `@types/multer` does not have yet: the charset of fields
   *   that name none
   */
  export default function multer(options: Options & { defCharset?: string }): {
    /** Puts the text fields into `ctx.request.body`, and the files by their fields into `ctx.request.files`. */
    fields(fields: readonly Field[]): Middleware
  }
}
