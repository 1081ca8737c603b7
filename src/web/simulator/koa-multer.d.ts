/** As far as we use it; the package comes without types. */
declare module '@koa/multer' {
  import type { Middleware } from 'koa'
  import type { Field, Options } from 'multer'

  export default function multer(options: Options): {
    /** Puts the text fields into `ctx.request.body`, and the files by their fields into `ctx.request.files`. */
    fields(fields: readonly Field[]): Middleware
  }
}
