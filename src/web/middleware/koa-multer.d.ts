/** The types as far as we use the package, which has none. */
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
